-- Minutes of some sensors, each a bucket of its own; unordered, for the caller scatters them.
SELECT
  reading.sensor_no,
  (reading.minute + $shift::INTEGER)::INTEGER AS bucket,
  reading.value,
  reading.model,
  coalesce(reading.value_setpoint, reading.value) AS value_setpoint,
  coalesce(reading.model_setpoint, reading.model) AS model_setpoint
FROM {readings} AS reading
WHERE
  {wanted}
  AND reading.day >= $from_day::INTEGER
  AND reading.day < $to_day::INTEGER
  AND reading.minute >= $from_minute::INTEGER
  AND reading.minute < $to_minute::INTEGER
  AND (reading.light OR NOT $light_only::BOOLEAN)
