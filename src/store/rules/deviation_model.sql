-- Minutes of sensors, of each after a minute of its own, that have a value and an expected one, as
-- far as setpoints allow it.
SELECT r.sensor_no, r.minute, r.value, coalesce(r.model_setpoint, r.model) AS expected
FROM reading AS r
JOIN (
  SELECT unnest($sensors::INTEGER[]) AS sensor_no, unnest($after::INTEGER[]) AS after
) AS w ON w.sensor_no = r.sensor_no AND r.minute > w.after
WHERE r.minute >= $from_minute AND r.minute < $to_minute
  AND r.value IS NOT NULL AND expected IS NOT NULL
ORDER BY r.minute, r.sensor_no;
