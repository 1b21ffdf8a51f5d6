-- Stores the new quarter-hours, in the order in which the changes lie.
INSERT INTO quarter (
  day, sensor_no, quarter, light, n, value, minimum, maximum, last, last_minute, value_setpoint,
  model_n, model, model_setpoint, clipped
)
SELECT day, sensor_no, quarter, light, n, value, minimum, maximum, last, last_minute,
  value_setpoint, model_n, model, model_setpoint, clipped
FROM roll_quarter_change
WHERE op = 'insert';
