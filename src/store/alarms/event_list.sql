-- The newest events of some occurrences as JSON, each occurrence's from the oldest on.
SELECT to_json(e)::VARCHAR AS json
FROM (
  SELECT {columns}
  FROM occurrence_event
  SEMI JOIN (SELECT unnest(string_split($nos::VARCHAR, ' ')::BIGINT[]) AS occurrence_no) AS wanted
    USING (occurrence_no)
  WHERE feed_no BETWEEN $from_feed_no::BIGINT AND $to_feed_no::BIGINT
  QUALIFY
    row_number() OVER (PARTITION BY occurrence_no ORDER BY created_at DESC, feed_no DESC)
      <= $newest::BIGINT
) AS e
ORDER BY e.occurrence_no, e.created_at, e.feed_no
