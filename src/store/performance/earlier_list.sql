-- The sensors that measured something before a minute of a local day: on a day before, or in an
-- earlier quarter-hour of the day.
SELECT DISTINCT sensor_no
FROM (
  SELECT sensor_no FROM daily WHERE n > 0 AND day < $day::INTEGER
  UNION ALL
  SELECT sensor_no FROM quarter
  WHERE n > 0 AND day = $day::INTEGER AND (quarter + 1) * 15 <= $minute::INTEGER
)
JOIN (SELECT unnest($sensors::INTEGER[]) AS sensor_no) AS wanted USING (sensor_no)
ORDER BY sensor_no
