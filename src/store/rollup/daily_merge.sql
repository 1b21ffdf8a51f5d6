-- Changes and deletes stored local days, in place.
MERGE INTO daily AS t
USING (
  SELECT op, day, sensor_no, light, n, value, minimum, maximum, last, last_minute, value_setpoint,
    model_n, model, model_setpoint, matched_n, value_matched, model_matched,
    model_setpoint_matched, covered
  FROM roll_daily_change
  WHERE op <> 'insert'
) AS c
ON t.day = c.day AND t.sensor_no = c.sensor_no AND t.light = c.light
  AND t.day BETWEEN $from_day AND $to_day
WHEN MATCHED AND c.op = 'delete' THEN DELETE
WHEN MATCHED THEN UPDATE SET
  n = c.n, value = c.value, minimum = c.minimum, maximum = c.maximum, last = c.last,
  last_minute = c.last_minute, value_setpoint = c.value_setpoint, model_n = c.model_n,
  model = c.model, model_setpoint = c.model_setpoint, matched_n = c.matched_n,
  value_matched = c.value_matched, model_matched = c.model_matched,
  model_setpoint_matched = c.model_setpoint_matched, covered = c.covered;
