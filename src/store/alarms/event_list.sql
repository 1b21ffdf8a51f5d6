-- The newest events of some occurrences as JSON, each occurrence's from the oldest on.
SELECT to_json(e)::VARCHAR AS json
FROM (
  SELECT
    feed_no, synced_at, project_no, site_no, occurrence_no, occurrence_id, event_id, type, kind,
    created_at, body, user_id, user_email, external_user_id, detail
  FROM occurrence_event
  SEMI JOIN (SELECT unnest(string_split($nos, ' ')::BIGINT[]) AS occurrence_no) AS wanted
    USING (occurrence_no)
  WHERE feed_no BETWEEN $from_feed_no::BIGINT AND $to_feed_no::BIGINT
  QUALIFY
    row_number() OVER (PARTITION BY occurrence_no ORDER BY created_at DESC, feed_no DESC) <= $newest
) AS e
ORDER BY e.occurrence_no, e.created_at, e.feed_no
