-- Occurrences by their numbers, each as JSON, in the order in which they were last stored.
SELECT to_json(o)::VARCHAR AS json
FROM (
  SELECT {columns}
  FROM occurrence
  SEMI JOIN (SELECT unnest(string_split($nos::VARCHAR, ' ')::BIGINT[]) AS occurrence_no) AS wanted
    USING (occurrence_no)
  WHERE occurrence_no BETWEEN $from_no::BIGINT AND $to_no::BIGINT
) AS o
ORDER BY o.synced_at, o.occurrence_no
