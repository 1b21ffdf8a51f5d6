-- Stores the new readings, in the order in which the changes lie.
INSERT INTO reading (
  day, sensor_no, minute, light, value, model, value_setpoint, model_setpoint, clipped
)
SELECT day, sensor_no, minute, light, value, model, value_setpoint, model_setpoint, clipped
FROM roll_reading_change
WHERE op = 'insert';
