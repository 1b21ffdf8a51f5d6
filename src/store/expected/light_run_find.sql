-- Of each sensor the first minute of what it shows last; or, not moved, the first of all.
WITH light AS (
  SELECT unnest($sensors::INTEGER[]) AS sensor_no, unnest($tags::INTEGER[]) AS tag_no,
    unnest($scales::DOUBLE[]) AS scale, unnest($offsets::DOUBLE[]) AS "offset"
),
told AS (
  SELECT l.sensor_no, m.minute,
    light_shown(coalesce(m.value, m.value_int) * l.scale + l."offset") AS value
  FROM minute AS m
  JOIN light AS l USING (tag_no)
  WHERE m.minute >= $from_minute::INTEGER AND NOT m.carried
    AND (m.value IS NOT NULL OR m.value_int IS NOT NULL)
)
SELECT sensor_no, coalesce(max(minute) FILTER (value <> before), min(minute)) AS first_minute,
  coalesce(bool_or(value <> before), false) AS moved
FROM (
  SELECT *, lag(value) OVER (PARTITION BY sensor_no ORDER BY minute) AS before
  FROM told
)
GROUP BY sensor_no
ORDER BY sensor_no;
