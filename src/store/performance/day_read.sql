-- Daylight of some sensors' days, each a bucket; unordered, for the caller scatters them.
SELECT
  daily.sensor_no,
  (daily.day + $shift::INTEGER)::INTEGER AS bucket,
  CASE $over_time::VARCHAR
    WHEN 'increment' THEN daily.value
    WHEN 'last' THEN daily.last
    WHEN 'max' THEN daily.maximum
    WHEN 'min' THEN daily.minimum
    ELSE daily.value / nullif(daily.n, 0)
  END AS value,
  CASE $over_time::VARCHAR
    WHEN 'increment' THEN daily.model
    ELSE daily.model / nullif(daily.model_n, 0)
  END AS model,
  CASE $over_time::VARCHAR
    WHEN 'increment' THEN daily.value_setpoint
    WHEN 'last' THEN daily.last
    WHEN 'max' THEN daily.maximum
    WHEN 'min' THEN daily.minimum
    ELSE daily.value_setpoint / nullif(daily.n, 0)
  END AS value_setpoint,
  CASE $over_time::VARCHAR
    WHEN 'increment' THEN daily.model_setpoint
    ELSE daily.model_setpoint / nullif(daily.model_n, 0)
  END AS model_setpoint
FROM daily
WHERE
  {wanted}
  AND daily.day >= $from_day::INTEGER
  AND daily.day < $to_day::INTEGER
  AND daily.light
