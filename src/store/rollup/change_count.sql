-- How many rows of each table are to be inserted, and how many changed or deleted.
SELECT name, sum(fresh)::INTEGER AS fresh, sum(other)::INTEGER AS other
FROM (
  SELECT 'minute' AS name, count(*) FILTER (op = 'insert') AS fresh,
    count(*) FILTER (op <> 'insert') AS other
  FROM roll_minute_change
  UNION ALL
  SELECT 'minute', count(*), 0 FROM roll_minute WHERE fresh
  UNION ALL
  SELECT 'whole', count(*) FILTER (op = 'insert'), count(*) FILTER (op <> 'insert')
  FROM roll_whole_change
  UNION ALL
  SELECT 'reading', count(*) FILTER (op = 'insert'), count(*) FILTER (op <> 'insert')
  FROM roll_reading_change
  UNION ALL
  SELECT 'reading', count(*), 0 FROM roll_reading WHERE fresh
  UNION ALL
  SELECT 'reading', sum(n), 0
  FROM roll_sum
  SEMI JOIN (FROM roll_unit WHERE simple AND fresh) AS u USING (sensor_no, quarter)
  ANTI JOIN roll_whole USING (sensor_no, quarter)
  UNION ALL
  SELECT 'quarter', count(*) FILTER (op = 'insert'), count(*) FILTER (op <> 'insert')
  FROM roll_quarter_change
  UNION ALL
  SELECT 'quarter', count(*), 0 FROM roll_sum WHERE fresh
  UNION ALL
  SELECT 'daily', count(*) FILTER (op = 'insert'), count(*) FILTER (op <> 'insert')
  FROM roll_daily_change
)
GROUP BY name
ORDER BY name;
