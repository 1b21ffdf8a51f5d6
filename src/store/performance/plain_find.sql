-- Whether the setpoint values of some sensors' minutes are the plain ones: no setpoint is active.
SELECT NOT EXISTS (
  FROM reading
  WHERE
    {wanted}
    AND reading.day >= $from_day::INTEGER
    AND reading.day < $to_day::INTEGER
    AND reading.minute >= $from_minute::INTEGER
    AND reading.minute < $to_minute::INTEGER
    AND (
      reading.value_setpoint <> reading.value
      OR reading.model_setpoint <> reading.model
    )
) AS plain
