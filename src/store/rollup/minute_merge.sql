-- Changes and deletes stored minutes, in place, in the order in which they lie: see `daily_merge`.
MERGE INTO minute AS t
USING (
  SELECT m.rowid AS place, c.*
  FROM roll_minute_change AS c
  JOIN minute AS m ON m.tag_no = c.tag_no AND m.minute = c.minute
    AND m.minute BETWEEN $from_minute AND $to_minute
  WHERE c.op <> 'insert'
  ORDER BY place
) AS c
ON t.rowid = c.place AND t.minute BETWEEN $from_minute AND $to_minute
WHEN MATCHED AND c.op = 'delete' THEN DELETE
WHEN MATCHED THEN UPDATE SET
  day = c.day, received_at = $stamp_us, value = c.value, value_int = c.value_int,
  value_str = c.value_str, minimum = c.minimum, maximum = c.maximum, quality = c.quality,
  status_code = c.status_code, carried = c.carried, good_count = c.good_count,
  uncertain_count = c.uncertain_count, bad_count = c.bad_count;
