-- Days of some sensors aggregated into buckets by a list of each day's bucket; unordered, for the
-- caller scatters them.
SELECT
  daily.sensor_no,
  {bucket} AS bucket,
  CASE $over_time::VARCHAR
    WHEN 'increment' THEN sum(daily.value)
    WHEN 'last' THEN arg_max(daily.last, daily.last_minute)
    WHEN 'max' THEN max(daily.maximum)
    WHEN 'min' THEN min(daily.minimum)
    ELSE sum(daily.value) / nullif(sum(daily.n), 0)
  END AS value,
  CASE $over_time::VARCHAR
    WHEN 'increment' THEN sum(daily.model)
    ELSE sum(daily.model) / nullif(sum(daily.model_n), 0)
  END AS model,
  CASE $over_time::VARCHAR
    WHEN 'increment' THEN sum(daily.value_setpoint)
    WHEN 'last' THEN arg_max(daily.last, daily.last_minute)
    WHEN 'max' THEN max(daily.maximum)
    WHEN 'min' THEN min(daily.minimum)
    ELSE sum(daily.value_setpoint) / nullif(sum(daily.n), 0)
  END AS value_setpoint,
  CASE $over_time::VARCHAR
    WHEN 'increment' THEN sum(daily.model_setpoint)
    ELSE sum(daily.model_setpoint) / nullif(sum(daily.model_n), 0)
  END AS model_setpoint
FROM daily
{days}
WHERE
  {wanted}
  AND daily.day >= $from_day::INTEGER
  AND daily.day < $to_day::INTEGER
  AND (daily.light OR NOT $light_only::BOOLEAN)
GROUP BY ALL
