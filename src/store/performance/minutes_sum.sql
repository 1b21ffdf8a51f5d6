-- Minutes of some sensors aggregated into buckets; unordered, for the caller scatters them.
SELECT
  reading.sensor_no,
  ((reading.minute + $shift::INTEGER) // $width::INTEGER)::INTEGER AS bucket,
  CASE $over_time::VARCHAR
    WHEN 'increment' THEN sum(reading.value)
    WHEN 'last' THEN arg_max(reading.value, reading.minute)
    WHEN 'max' THEN max(reading.value)
    WHEN 'min' THEN min(reading.value)
    ELSE avg(reading.value)
  END AS value,
  CASE $over_time::VARCHAR
    WHEN 'increment' THEN sum(reading.model)
    ELSE avg(reading.model)
  END AS model,
  CASE $over_time::VARCHAR
    WHEN 'increment' THEN sum(coalesce(reading.value_setpoint, reading.value))
    WHEN 'last' THEN arg_max(reading.value, reading.minute)
    WHEN 'max' THEN max(reading.value)
    WHEN 'min' THEN min(reading.value)
    ELSE avg(coalesce(reading.value_setpoint, reading.value))
  END AS value_setpoint,
  CASE $over_time::VARCHAR
    WHEN 'increment' THEN sum(coalesce(reading.model_setpoint, reading.model))
    ELSE avg(coalesce(reading.model_setpoint, reading.model))
  END AS model_setpoint
FROM reading
WHERE
  {wanted}
  AND reading.day >= $from_day::INTEGER
  AND reading.day < $to_day::INTEGER
  AND reading.minute >= $from_minute::INTEGER
  AND reading.minute < $to_minute::INTEGER
  AND (reading.light OR NOT $light_only::BOOLEAN)
GROUP BY ALL
