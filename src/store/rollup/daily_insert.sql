-- Stores the new local days, in the order in which the changes lie.
INSERT INTO daily
SELECT day, sensor_no, light, n, value, minimum, maximum, last, last_minute, value_setpoint,
  model_n, model, model_setpoint
FROM roll_daily_change
WHERE op = 'insert';
