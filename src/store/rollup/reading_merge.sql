-- Changes and deletes stored readings, in place, in the order in which they lie: see `daily_merge`.
MERGE INTO reading AS t
USING (
  SELECT r.rowid AS place, c.*
  FROM roll_reading_change AS c
  JOIN reading AS r ON r.sensor_no = c.sensor_no AND r.minute = c.minute
    AND r.minute BETWEEN $from_minute AND $to_minute
  WHERE c.op <> 'insert'
  ORDER BY place
) AS c
ON t.rowid = c.place AND t.minute BETWEEN $from_minute AND $to_minute
WHEN MATCHED AND c.op = 'delete' THEN DELETE
WHEN MATCHED THEN UPDATE SET
  day = c.day, light = c.light, value = c.value, model = c.model, value_setpoint = c.value_setpoint,
  model_setpoint = c.model_setpoint, clipped = c.clipped, storage = c.storage,
  span_before = c.span_before, span_after = c.span_after, broken = c.broken;
