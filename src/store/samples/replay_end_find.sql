-- A stamp at which a page of a replay may end, of the rows that it goes on with.
WITH line AS (
  SELECT unnest(tag_nos) AS tag_no, generate_subscripts(tag_nos, 1)::INTEGER - 1 AS line
  FROM (SELECT string_split($lines, ' ')::INTEGER[] AS tag_nos)
),
entry AS (
  SELECT tag_no, ts, received_at
  FROM sample
  WHERE $raw AND tag_no BETWEEN $from_tag AND $to_tag
    AND received_at >= $since_us AND received_at < $until_us
  UNION ALL
  SELECT tag_no, minute::BIGINT * 60000000, received_at
  FROM minute
  WHERE $minutes AND tag_no BETWEEN $from_tag AND $to_tag
    AND received_at >= $since_us AND received_at < $until_us
),
stored AS (
  SELECT entry.received_at
  FROM entry
  JOIN line USING (tag_no)
  WHERE entry.ts >= $from_us AND entry.ts < $to_us
    AND (
      entry.received_at > $since_us OR entry.ts > $after_us
      OR (entry.ts = $after_us AND line.line >= $after_line)
    )
)
{read}
