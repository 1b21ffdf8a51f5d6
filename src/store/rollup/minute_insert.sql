-- Stores the new minutes, in the order in which the changes lie.
INSERT INTO minute
SELECT day, tag_no, minute, $stamp_us::BIGINT AS received_at, value, value_int, value_str, minimum,
  maximum, quality, status_code, carried, good_count, uncertain_count, bad_count
FROM roll_minute_change
WHERE op = 'insert';
