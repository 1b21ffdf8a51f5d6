-- Sensors of irradiance that stand still, or show no light below a high sun, at the last minute of
-- which they have a value.
WITH light AS (
  SELECT unnest($sensors::INTEGER[]) AS sensor_no, unnest($tags::INTEGER[]) AS tag_no,
    unnest($scales::DOUBLE[]) AS scale, unnest($offsets::DOUBLE[]) AS "offset",
    unnest($altitudes::INTEGER[]) AS altitude, unnest($quantities::VARCHAR[]) AS quantity
),
told AS (
  SELECT l.*, m.minute, coalesce(m.value, m.value_int) * l.scale + l."offset" AS value
  FROM minute AS m
  JOIN light AS l USING (tag_no)
  WHERE m.minute >= $from_minute::INTEGER AND NOT m.carried
),
judged AS (
  SELECT sensor_no, minute, value,
    CASE
      WHEN light_dead(value, altitude, quantity) THEN 'dead'
      WHEN light_line(value, minute, tag_no, sensor_no) AND light_stuck(value, altitude)
      THEN 'stuck'
    END AS state
  FROM told
)
SELECT sensor_no, arg_max_null(state, minute) AS state
FROM judged
WHERE value IS NOT NULL
GROUP BY sensor_no
HAVING state IS NOT NULL
ORDER BY sensor_no;
