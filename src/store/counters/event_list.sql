-- What happened to a project's counters, and what was declared of them, by time: each reset with
-- the readings around it, where there are such, whether it was applied to them or not.
WITH declared AS (
  SELECT s.sensor_no, s.hierarchy_id, t.sensor_tag, r.*
  FROM counter_reset AS r
  JOIN sensor AS s ON s.tag_no = r.tag_no AND s.accumulation = 'counter'
  JOIN tag AS t ON t.tag_no = r.tag_no
  WHERE r.project_no = $project_no::INTEGER
)
SELECT *
FROM (
  SELECT e.kind, s.hierarchy_id, t.sensor_tag, e.ts, e.value, e.before_ts, e.before_value,
    e.readings, e.counted, e.most, NULL::VARCHAR AS reset_id, NULL::BIGINT AS reset_at,
    NULL::DOUBLE AS last_value, NULL::DOUBLE AS first_value, NULL::VARCHAR AS author,
    NULL::BOOLEAN AS applied
  FROM counter_event AS e
  JOIN sensor AS s USING (sensor_no)
  JOIN tag AS t USING (tag_no)
  WHERE e.kind <> 'reset' AND s.project_no = $project_no::INTEGER
  UNION ALL
  SELECT 'reset', d.hierarchy_id, d.sensor_tag, coalesce(e.ts, d.at_us), e.value, e.before_ts,
    e.before_value, coalesce(e.readings, 0), e.counted, e.most, d.id, d.at_us, d.last_value,
    d.first_value, d.author, coalesce(e.kind = 'reset', false)
  FROM declared AS d
  LEFT JOIN counter_event AS e
    ON e.sensor_no = d.sensor_no AND e.before_ts < d.at_us AND e.ts >= d.at_us
    AND e.kind <> 'wrap' AND coalesce(e.reset_us, d.at_us) = d.at_us
  QUALIFY row_number() OVER (
    PARTITION BY d.sensor_no, d.id ORDER BY coalesce(e.reset_us, 0) DESC, e.ts DESC
  ) = 1
)
WHERE ts >= $from_us::BIGINT AND ts < $to_us::BIGINT
  AND ($hierarchy_ids::VARCHAR[] IS NULL OR list_contains($hierarchy_ids::VARCHAR[], hierarchy_id))
  AND ($kinds::VARCHAR[] IS NULL OR list_contains($kinds::VARCHAR[], kind))
ORDER BY ts, hierarchy_id, kind, reset_at
LIMIT $limit::BIGINT OFFSET $offset::BIGINT;
