-- The same as performance_minute where no setpoint is active; unordered, for the caller scatters.
SELECT
  reading.sensor_no,
  (reading.minute + $shift::INTEGER)::INTEGER AS bucket,
  reading.value,
  reading.model
FROM {readings} AS reading
WHERE
  {wanted}
  AND reading.day >= $from_day::INTEGER
  AND reading.day < $to_day::INTEGER
  AND reading.minute >= $from_minute::INTEGER
  AND reading.minute < $to_minute::INTEGER
  AND (reading.light OR NOT $light_only::BOOLEAN)
