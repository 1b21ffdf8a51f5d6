-- What is matched of some sensors' quarter-hours, in buckets of them; a mean is over `n` minutes,
-- an amount is one sum. Unordered, for the caller scatters them.
SELECT
  sensor_no,
  bucket,
  value / n AS value,
  model / n AS model,
  model_setpoint / n AS model_setpoint
FROM (
  SELECT
    quarter.sensor_no,
    ((quarter.quarter * 15 + $shift::INTEGER) // $width::INTEGER)::INTEGER AS bucket,
    if(
      $is_amount::BOOLEAN, 1, nullif(sum(bit_count(quarter.heard & quarter.modelled)), 0)
    )::DOUBLE AS n,
    {value} AS value,
    {model} AS model,
    {model_setpoint} AS model_setpoint
  FROM quarter
  WHERE
    {wanted}
    AND quarter.day >= $from_day::INTEGER
    AND quarter.day < $to_day::INTEGER
    AND quarter.quarter * 15 >= $from_minute::INTEGER
    AND quarter.quarter * 15 < $to_minute::INTEGER
    AND (quarter.light OR NOT $light_only::BOOLEAN)
  GROUP BY ALL
)
