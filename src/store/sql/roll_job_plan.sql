-- Runs of touched quarter-hours of tags whose values are not plain means: [from, to) of each.
SELECT sensor_no, lane, tag_no, how, scale, "offset", capacity, interval_s, interval_at,
  register_bits, min(quarter)::INTEGER AS from_quarter, max(quarter)::INTEGER + 1 AS to_quarter
FROM (
  SELECT *, count(*) FILTER (gap) OVER (PARTITION BY sensor_no, lane ORDER BY quarter) AS run
  FROM (
    SELECT *, quarter - lag(quarter) OVER (PARTITION BY sensor_no, lane ORDER BY quarter) > 4 AS gap
    FROM (
      SELECT s.sensor_no, 'value' AS lane, s.tag_no, s.how, s.scale, s."offset", s.capacity,
        s.interval_s, s.interval_at, s.register_bits, t.quarter
      FROM roll_touch AS t
      JOIN roll_sensor AS s ON s.tag_no = t.tag_no
      WHERE s.how <> 'plain'
      UNION
      SELECT s.sensor_no, 'model', s.model_tag_no, 'interval', 1, 0, NULL,
        coalesce(s.interval_s, 60), s.interval_at, NULL, t.quarter
      FROM roll_touch AS t
      JOIN roll_sensor AS s ON s.model_tag_no = t.tag_no
      WHERE s.over_time = 'increment'
      UNION
      SELECT s.sensor_no, 'setpoint', s.tag_no, 'setpoint', s.scale, s."offset", NULL, NULL,
        s.interval_at, NULL, t.quarter
      FROM roll_touch AS t
      JOIN roll_sensor AS s ON s.tag_no = t.tag_no
      WHERE s.sensor_no IN (SELECT source_no FROM roll_source)
    )
  )
)
GROUP BY ALL
ORDER BY sensor_no, lane, from_quarter;
