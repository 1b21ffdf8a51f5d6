-- Stores the new minutes, a tag's day together. Every second tag's quarter-hours lie backwards; so
-- do every second minute's tags, for most minutes are stored as they end. Within a quarter-hour
-- minutes rise, as sums add them. In one statement: an insert that finds no row hides what a later
-- one of the same transaction stores, until the next checkpoint (DuckDB 1.5.5).
INSERT INTO minute BY NAME
SELECT *, $stamp_us::BIGINT AS received_at
FROM (
  SELECT * EXCLUDE (op) FROM roll_minute_change WHERE op = 'insert'
  UNION ALL BY NAME
  SELECT * EXCLUDE (fresh) FROM roll_made WHERE fresh
)
WHERE minute BETWEEN $from_minute::INTEGER AND $to_minute::INTEGER
ORDER BY day, roll_turn($stamp_us::BIGINT // 60000000, tag_no), roll_turn(tag_no, minute // 15),
  minute;
