-- What happened to a project's counters, and what was declared of them, by time: each reset with
-- the readings around it, where there are such.
SELECT *
FROM (
  SELECT e.kind, s.hierarchy_id, t.sensor_tag, e.ts, e.value, e.before_ts, e.before_value,
    e.readings, e.counted, e.most, NULL::VARCHAR AS reset_id, NULL::BIGINT AS reset_at,
    NULL::DOUBLE AS last_value, NULL::DOUBLE AS first_value, NULL::VARCHAR AS author
  FROM counter_event AS e
  JOIN sensor AS s USING (sensor_no)
  JOIN tag AS t USING (tag_no)
  WHERE e.kind <> 'reset' AND s.project_no = $project_no::INTEGER
  UNION ALL
  SELECT 'reset', s.hierarchy_id, t.sensor_tag, coalesce(e.ts, r.at_us), e.value, e.before_ts,
    e.before_value, coalesce(e.readings, 0), e.counted, e.most, r.id, r.at_us, r.last_value,
    r.first_value, r.author
  FROM counter_reset AS r
  JOIN sensor AS s ON s.tag_no = r.tag_no AND s.accumulation = 'counter'
  JOIN tag AS t ON t.tag_no = r.tag_no
  LEFT JOIN counter_event AS e
    ON e.sensor_no = s.sensor_no AND e.kind = 'reset' AND e.reset_us = r.at_us
  WHERE r.project_no = $project_no::INTEGER
)
WHERE ts >= $from_us::BIGINT AND ts < $to_us::BIGINT
  AND ($hierarchy_ids::VARCHAR[] IS NULL OR list_contains($hierarchy_ids::VARCHAR[], hierarchy_id))
  AND ($kinds::VARCHAR[] IS NULL OR list_contains($kinds::VARCHAR[], kind))
ORDER BY ts, hierarchy_id, kind, reset_at
LIMIT $limit::BIGINT OFFSET $offset::BIGINT;
