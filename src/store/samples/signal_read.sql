-- Signal rows by sample time: oldest first, then by line (tag, then lane), raw before 1m.
WITH line AS (
  SELECT unnest(tag_nos) AS tag_no, generate_subscripts(tag_nos, 1)::INTEGER - 1 AS line
  FROM (SELECT string_split($lines, ' ')::INTEGER[] AS tag_nos)
),
entry AS (
  SELECT
    tag_no, 0 AS resolution, ts, received_at,
    CASE WHEN quality = 2 THEN NULL ELSE value END AS value,
    CASE WHEN quality = 2 THEN NULL ELSE value_int END AS value_int,
    CASE WHEN quality = 2 THEN NULL ELSE value_str END AS value_str,
    quality, status_code, 0 AS carried,
    NULL::INTEGER AS good_count, NULL::INTEGER AS uncertain_count, NULL::INTEGER AS bad_count
  FROM sample
  WHERE $raw AND tag_no BETWEEN $from_tag AND $to_tag AND ts >= $from_us AND ts < $to_us
  UNION ALL
  SELECT
    tag_no, 1, minute::BIGINT * 60000000, received_at, value, value_int, value_str, quality,
    status_code, carried::INTEGER, good_count, uncertain_count, bad_count
  FROM minute
  WHERE $minutes AND tag_no BETWEEN $from_tag AND $to_tag
    AND day BETWEEN $from_day AND $to_day
    AND minute >= $from_minute AND minute < $to_minute
)
SELECT
  line.line, entry.resolution, entry.ts, entry.received_at, entry.value, entry.value_int,
  entry.value_str, entry.quality::INTEGER AS quality, entry.status_code, entry.carried,
  entry.good_count, entry.uncertain_count, entry.bad_count
FROM entry
JOIN line USING (tag_no)
ORDER BY entry.ts, line.line, entry.resolution
LIMIT $limit OFFSET $offset
