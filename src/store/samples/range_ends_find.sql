-- The first and the last time of any rows of some lines in a range, as many as a page takes, and
-- how many these are.
WITH entry AS (
  SELECT tag_no, ts
  FROM sample
  WHERE $raw AND tag_no BETWEEN $from_tag AND $to_tag AND ts >= $from_us AND ts < $to_us
  UNION ALL
  SELECT tag_no, minute::BIGINT * 60000000
  FROM minute
  WHERE $minutes AND tag_no BETWEEN $from_tag AND $to_tag
    AND day BETWEEN $from_day AND $to_day
    AND minute >= $from_minute AND minute < $to_minute
)
SELECT count(*) AS rows, min(ts) AS first_us, max(ts) AS last_us
FROM (
  SELECT ts
  FROM entry
  SEMI JOIN (SELECT unnest(string_split($lines, ' ')::INTEGER[]) AS tag_no) AS line USING (tag_no)
  LIMIT $limit::BIGINT + $offset::BIGINT
)
