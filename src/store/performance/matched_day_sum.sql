-- What is matched of some sensors' days, each of which falls to the bucket listed for it; a mean is
-- over `n` minutes, an amount is one sum. Unordered, for the caller scatters them.
SELECT
  sensor_no,
  bucket,
  value / n AS value,
  model / n AS model,
  model_setpoint / n AS model_setpoint,
  covered AS minutes
FROM (
  SELECT
    daily.sensor_no,
    {bucket} AS bucket,
    if($is_amount::BOOLEAN, 1, nullif(sum(daily.matched_n), 0))::DOUBLE AS n,
    {value} AS value,
    {model} AS model,
    {model_setpoint} AS model_setpoint,
    sum(daily.covered)::DOUBLE AS covered
  FROM daily
  {days}
  WHERE
    {wanted}
    AND daily.day >= $from_day::INTEGER
    AND daily.day < $to_day::INTEGER
    AND (daily.light OR NOT $light_only::BOOLEAN)
  GROUP BY ALL
)
