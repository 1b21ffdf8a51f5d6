-- Stores the new quarter-hours, in the order in which a sensor's day is read.
INSERT INTO quarter BY NAME
SELECT *
FROM (
  SELECT * EXCLUDE (op) FROM roll_quarter_change WHERE op = 'insert'
  UNION ALL BY NAME
  SELECT * EXCLUDE (fresh) FROM roll_sum WHERE fresh
)
WHERE quarter BETWEEN $from_minute::INTEGER // 15 AND $to_minute::INTEGER // 15
ORDER BY day, sensor_no, quarter, light;
