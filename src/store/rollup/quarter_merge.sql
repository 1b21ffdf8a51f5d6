-- Changes and deletes stored quarter-hours, in place, in the order in which they lie: see
-- `daily_merge`.
MERGE INTO quarter AS t
USING (
  SELECT q.rowid AS place, c.*
  FROM roll_quarter_change AS c
  JOIN quarter AS q ON q.sensor_no = c.sensor_no AND q.quarter = c.quarter AND q.light = c.light
    AND q.quarter BETWEEN $from_minute::INTEGER // 15 AND $to_minute::INTEGER // 15
  WHERE c.op <> 'insert'
  ORDER BY place
) AS c
ON t.rowid = c.place
  AND t.quarter BETWEEN $from_minute::INTEGER // 15 AND $to_minute::INTEGER // 15
WHEN MATCHED AND c.op = 'delete' THEN DELETE
WHEN MATCHED THEN UPDATE SET
  day = c.day, n = c.n, value = c.value, minimum = c.minimum, maximum = c.maximum, last = c.last,
  last_minute = c.last_minute, value_setpoint = c.value_setpoint, model_n = c.model_n,
  model = c.model, model_setpoint = c.model_setpoint, clipped = c.clipped,
  heard = c.heard, modelled = c.modelled, value_matched = c.value_matched,
  model_matched = c.model_matched, model_setpoint_matched = c.model_setpoint_matched;
