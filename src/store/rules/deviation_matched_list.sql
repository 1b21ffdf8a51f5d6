-- Minutes of sensors, of each after a minute of its own, that can be matched with what is expected
-- of them; storage below a meter or a system is left out on both sides.
SELECT
  r.sensor_no,
  r.minute,
  r.value - coalesce(r.storage, 0) AS value,
  coalesce(r.model_setpoint, r.model) - coalesce(r.storage, 0) AS expected
FROM reading AS r
JOIN (
  SELECT unnest($sensors::INTEGER[]) AS sensor_no, unnest($after::INTEGER[]) AS after
) AS w ON w.sensor_no = r.sensor_no AND r.minute > w.after
WHERE
  r.minute >= $from_minute::INTEGER
  AND r.minute < $to_minute::INTEGER
  AND r.value IS NOT NULL
  AND expected IS NOT NULL
  AND r.broken IS NULL
ORDER BY r.minute, r.sensor_no
