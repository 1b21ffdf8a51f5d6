-- Stores the new minutes, in the order in which a tag's day is read.
INSERT INTO minute BY NAME
SELECT day, tag_no, minute, $stamp_us::BIGINT AS received_at, value, value_int, value_str, minimum,
  maximum, quality, status_code, carried, good_count, uncertain_count, bad_count
FROM (
  SELECT * EXCLUDE (op) FROM roll_minute_change WHERE op = 'insert'
  UNION ALL BY NAME
  SELECT * EXCLUDE (fresh) FROM roll_made WHERE fresh
)
WHERE minute BETWEEN $from_minute::INTEGER AND $to_minute::INTEGER
ORDER BY day, tag_no, minute;
