-- What is matched of some sensors' minutes, in buckets of them; a mean is over `n` minutes, an
-- amount is one sum. Unordered, for the caller scatters them.
SELECT
  sensor_no,
  bucket,
  value / n AS value,
  model / n AS model,
  model_setpoint / n AS model_setpoint
FROM (
  SELECT
    reading.sensor_no,
    ((reading.minute + $shift::INTEGER) // $width::INTEGER)::INTEGER AS bucket,
    if($is_amount::BOOLEAN, 1, count(*))::DOUBLE AS n,
    {value} AS value,
    {model} AS model,
    {model_setpoint} AS model_setpoint
  FROM reading
  WHERE
    {wanted}
    AND reading.day >= $from_day::INTEGER
    AND reading.day < $to_day::INTEGER
    AND reading.minute >= $from_minute::INTEGER
    AND reading.minute < $to_minute::INTEGER
    AND (reading.light OR NOT $light_only::BOOLEAN)
    AND reading.value IS NOT NULL
    AND reading.model IS NOT NULL
    AND reading.broken IS NULL
  GROUP BY ALL
)
