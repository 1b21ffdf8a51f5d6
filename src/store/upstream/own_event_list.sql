-- A gateway's own events, after one of them, of alarms that its centre is told of, as JSON.
SELECT to_json(e)::VARCHAR AS json
FROM (
  SELECT {columns}
  FROM occurrence_event
  SEMI JOIN (
    SELECT occurrence_no
    FROM occurrence
    WHERE project_no = $project_no::INTEGER AND judged_at = 'gateway' AND gateway IS NULL
  ) AS told USING (occurrence_no)
  WHERE feed_no > $after_no::BIGINT AND NOT starts_with(event_id, $prefix)
  ORDER BY feed_no
  LIMIT $limit::BIGINT
) AS e
ORDER BY e.feed_no
