-- What a centre's people did with alarms that gateways judge, after one event, as JSON.
SELECT to_json(e)::VARCHAR AS json
FROM (
  SELECT {columns}
  FROM occurrence_event
  WHERE
    feed_no > $after_no::BIGINT AND project_no = $project_no::INTEGER
    AND starts_with(event_id, $prefix)
  ORDER BY feed_no
  LIMIT $limit::BIGINT
) AS e
ORDER BY e.feed_no
