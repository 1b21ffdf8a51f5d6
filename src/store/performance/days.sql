-- The first and the last day on which some sensors have a reading; one row of nulls for none.
SELECT min(daily.day)::INTEGER AS first_day, max(daily.day)::INTEGER AS last_day
FROM daily
JOIN (SELECT unnest($sensors::INTEGER[]) AS sensor_no) AS wanted
  ON daily.sensor_no = wanted.sensor_no
WHERE daily.day >= $from_day::INTEGER AND daily.day < $to_day::INTEGER
ORDER BY first_day
