-- Changes and deletes stored readings, in place.
MERGE INTO reading AS t
USING (
  SELECT op, day, sensor_no, minute, light, value, model, value_setpoint, model_setpoint,
    clipped, storage, span_before, span_after, broken
  FROM roll_reading_change
  WHERE op <> 'insert'
) AS c
ON t.sensor_no = c.sensor_no AND t.minute = c.minute
  AND t.minute BETWEEN $from_minute AND $to_minute
WHEN MATCHED AND c.op = 'delete' THEN DELETE
WHEN MATCHED THEN UPDATE SET
  day = c.day, light = c.light, value = c.value, model = c.model, value_setpoint = c.value_setpoint,
  model_setpoint = c.model_setpoint, clipped = c.clipped, storage = c.storage,
  span_before = c.span_before, span_after = c.span_after, broken = c.broken;
