-- Changes and deletes stored minutes, in place.
MERGE INTO minute AS m
USING (
  SELECT op, tag_no, minute, day, value, value_int, value_str, minimum, maximum, quality,
    status_code, carried, good_count, uncertain_count, bad_count
  FROM roll_minute_change
  WHERE op <> 'insert'
) AS c
ON m.tag_no = c.tag_no AND m.minute = c.minute AND m.minute BETWEEN $from_minute AND $to_minute
WHEN MATCHED AND c.op = 'delete' THEN DELETE
WHEN MATCHED THEN UPDATE SET
  day = c.day, received_at = $stamp_us, value = c.value, value_int = c.value_int,
  value_str = c.value_str, minimum = c.minimum, maximum = c.maximum, quality = c.quality,
  status_code = c.status_code, carried = c.carried, good_count = c.good_count,
  uncertain_count = c.uncertain_count, bad_count = c.bad_count;
