-- How many rows of each table are to be inserted, and how many changed or deleted.
SELECT name, (count(*) FILTER (op = 'insert'))::INTEGER AS fresh,
  (count(*) FILTER (op <> 'insert'))::INTEGER AS other
FROM (
  SELECT 'minute' AS name, op FROM roll_minute_change
  UNION ALL
  SELECT 'reading', op FROM roll_reading_change
  UNION ALL
  SELECT 'quarter', op FROM roll_quarter_change
  UNION ALL
  SELECT 'daily', op FROM roll_daily_change
)
GROUP BY name
ORDER BY name;
