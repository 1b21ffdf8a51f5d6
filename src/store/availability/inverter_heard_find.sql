-- The nearest days outside [from_day, to_day] on which sensors had a value by daylight.
SELECT max(d.day) FILTER (d.day < $from_day::INTEGER) AS before_day,
  min(d.day) FILTER (d.day > $to_day::INTEGER) AS after_day
FROM daily AS d
JOIN (SELECT unnest($sensors::INTEGER[]) AS sensor_no) AS wanted USING (sensor_no)
WHERE d.day BETWEEN $least_day::INTEGER AND $most_day::INTEGER
  AND d.light
  AND d.n > 0
GROUP BY d.sensor_no
ORDER BY d.sensor_no;
