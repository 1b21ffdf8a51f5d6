-- Changes and deletes stored quarter-hours, in place.
MERGE INTO quarter AS t
USING (
  SELECT op, day, sensor_no, quarter, light, n, value, minimum, maximum, last, last_minute,
    value_setpoint, model_n, model, model_setpoint, clipped, heard, modelled, value_matched,
    model_matched, model_setpoint_matched
  FROM roll_quarter_change
  WHERE op <> 'insert'
) AS c
ON t.sensor_no = c.sensor_no AND t.quarter = c.quarter AND t.light = c.light
  AND t.quarter BETWEEN $from_minute::INTEGER // 15 AND $to_minute::INTEGER // 15
WHEN MATCHED AND c.op = 'delete' THEN DELETE
WHEN MATCHED THEN UPDATE SET
  day = c.day, n = c.n, value = c.value, minimum = c.minimum, maximum = c.maximum, last = c.last,
  last_minute = c.last_minute, value_setpoint = c.value_setpoint, model_n = c.model_n,
  model = c.model, model_setpoint = c.model_setpoint, clipped = c.clipped,
  heard = c.heard, modelled = c.modelled, value_matched = c.value_matched,
  model_matched = c.model_matched, model_setpoint_matched = c.model_setpoint_matched;
