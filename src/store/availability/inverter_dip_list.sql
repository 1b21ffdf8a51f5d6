-- The minutes (bit i for minute i of the quarter-hour) in which voltages were under their least; a
-- value that is carried on counts.
SELECT s.sensor_no, (m.minute // 15)::INTEGER AS quarter,
  bit_or(1 << (m.minute % 15))::INTEGER AS minutes
FROM minute AS m
JOIN sensor AS s USING (tag_no)
JOIN (
  SELECT unnest($sensors::INTEGER[]) AS sensor_no, unnest($least_v::DOUBLE[]) AS least_v
) AS wanted ON wanted.sensor_no = s.sensor_no
WHERE m.day BETWEEN $from_day::INTEGER AND $to_day::INTEGER
  AND coalesce(m.value, m.value_int) * s.scale + s."offset" < wanted.least_v
GROUP BY ALL
ORDER BY s.sensor_no, quarter;
