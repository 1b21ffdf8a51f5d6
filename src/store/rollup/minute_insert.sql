-- Stores the new minutes, a tag's day together. Every second tag's quarter-hours lie backwards; so
-- do every second minute's tags, for most minutes are stored as they end. Within a quarter-hour
-- minutes rise, as sums add them. In one statement: an insert that finds no row hides what a later
-- one of the same transaction stores, until the next checkpoint (DuckDB 1.5.5). Each part is sorted
-- by itself: of both at once the library does not know which bounds the columns have, and sorts
-- rows of their full width.
INSERT INTO minute BY NAME
SELECT *, $stamp_us::BIGINT AS received_at
FROM (
  (
    SELECT * EXCLUDE (op)
    FROM roll_minute_change
    WHERE op = 'insert'
    ORDER BY {order}
  )
  UNION ALL BY NAME
  (
    SELECT * EXCLUDE (fresh)
    FROM roll_made
    WHERE fresh
    ORDER BY {order}
  )
)
WHERE minute BETWEEN $from_minute::INTEGER AND $to_minute::INTEGER;
