-- The minutes (bit i for minute i of the quarter-hour) in which voltages were under their least.
SELECT r.sensor_no, (r.minute // 15)::INTEGER AS quarter,
  bit_or(1 << (r.minute % 15))::INTEGER AS minutes
FROM reading AS r
JOIN (
  SELECT unnest($sensors::INTEGER[]) AS sensor_no, unnest($least_v::DOUBLE[]) AS least_v
) AS wanted ON wanted.sensor_no = r.sensor_no
WHERE r.day BETWEEN $from_day::INTEGER AND $to_day::INTEGER
  AND r.value < wanted.least_v
GROUP BY ALL
ORDER BY r.sensor_no, quarter;
