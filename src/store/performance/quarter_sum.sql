-- Quarter-hours of some sensors aggregated into buckets; unordered, for the caller scatters them.
SELECT
  quarter.sensor_no,
  ((quarter.quarter * 15 + $shift::INTEGER) // $width::INTEGER)::INTEGER AS bucket,
  CASE $over_time::VARCHAR
    WHEN 'increment' THEN sum(quarter.value)
    WHEN 'last' THEN arg_max(quarter.last, quarter.last_minute)
    WHEN 'max' THEN max(quarter.maximum)
    WHEN 'min' THEN min(quarter.minimum)
    ELSE sum(quarter.value) / nullif(sum(quarter.n), 0)
  END AS value,
  CASE $over_time::VARCHAR
    WHEN 'increment' THEN sum(quarter.model)
    ELSE sum(quarter.model) / nullif(sum(quarter.model_n), 0)
  END AS model,
  CASE $over_time::VARCHAR
    WHEN 'increment' THEN sum(coalesce(quarter.value_setpoint, quarter.value))
    WHEN 'last' THEN arg_max(quarter.last, quarter.last_minute)
    WHEN 'max' THEN max(quarter.maximum)
    WHEN 'min' THEN min(quarter.minimum)
    ELSE sum(coalesce(quarter.value_setpoint, quarter.value)) / nullif(sum(quarter.n), 0)
  END AS value_setpoint,
  CASE $over_time::VARCHAR
    WHEN 'increment' THEN sum(coalesce(quarter.model_setpoint, quarter.model))
    ELSE sum(coalesce(quarter.model_setpoint, quarter.model)) / nullif(sum(quarter.model_n), 0)
  END AS model_setpoint
FROM quarter
WHERE
  {wanted}
  AND quarter.day >= $from_day::INTEGER
  AND quarter.day < $to_day::INTEGER
  AND quarter.quarter * 15 >= $from_minute::INTEGER
  AND quarter.quarter * 15 < $to_minute::INTEGER
  AND (quarter.light OR NOT $light_only::BOOLEAN)
GROUP BY ALL
