-- The newest minute with a value of each sensor, from a minute on.
SELECT sensor_no, max(minute)::INTEGER AS minute
FROM reading
WHERE sensor_no IN (SELECT unnest($sensors::INTEGER[])) AND minute >= $from_minute
  AND value IS NOT NULL
GROUP BY sensor_no
ORDER BY sensor_no;
