-- The first $rows differences found, in the order of tables and time; one is of a tag or a sensor.
SELECT name, op, tag_no, sensor_no, minute
FROM (
  SELECT 1 AS place, 'minute' AS name, op, tag_no, NULL::INTEGER AS sensor_no, minute
  FROM roll_minute_change
  UNION ALL
  SELECT 1, 'whole', op, tag_no, NULL, quarter * 15 FROM roll_whole_change
  UNION ALL
  SELECT 2, 'reading', op, NULL, sensor_no, minute FROM roll_reading_change
  UNION ALL
  SELECT 3, 'quarter', op, NULL, sensor_no, quarter * 15 FROM roll_quarter_change
  UNION ALL
  SELECT 4, 'daily', op, NULL, sensor_no, day * 1440 FROM roll_daily_change
  UNION ALL
  SELECT 5, 'counter_event', op, NULL, sensor_no, (ts // 60000000)::INTEGER
  FROM roll_counter_event_change
  UNION ALL
  SELECT 6, 'lent_quarter', op, NULL, sensor_no, quarter * 15 FROM roll_lent_change
)
ORDER BY place, minute, tag_no, sensor_no
LIMIT $rows;
