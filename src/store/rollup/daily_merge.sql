-- Changes and deletes stored local days, in place. In the order in which they lie: each time the
-- library comes back to a piece of the table, it goes through all that changed of it before.
MERGE INTO daily AS t
USING (
  SELECT d.rowid AS place, c.*
  FROM roll_daily_change AS c
  JOIN daily AS d ON d.day = c.day AND d.sensor_no = c.sensor_no AND d.light = c.light
    AND d.day BETWEEN $from_day AND $to_day
  WHERE c.op <> 'insert'
  ORDER BY place
) AS c
ON t.rowid = c.place AND t.day BETWEEN $from_day AND $to_day
WHEN MATCHED AND c.op = 'delete' THEN DELETE
WHEN MATCHED THEN UPDATE SET
  n = c.n, value = c.value, minimum = c.minimum, maximum = c.maximum, last = c.last,
  last_minute = c.last_minute, value_setpoint = c.value_setpoint, model_n = c.model_n,
  model = c.model, model_setpoint = c.model_setpoint, matched_n = c.matched_n,
  value_matched = c.value_matched, model_matched = c.model_matched,
  model_setpoint_matched = c.model_setpoint_matched, covered = c.covered;
