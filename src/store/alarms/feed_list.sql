-- Events of a stretch of a project's feed, in any order. Of an event with more than some bytes of
-- text, these are left out and counted.
SELECT
  feed_no, synced_at, occurrence_no, event_id, occurrence_id, type, kind, created_at,
  CASE WHEN bytes <= $most_bytes::BIGINT THEN body END AS body,
  user_id, user_email, external_user_id,
  CASE WHEN bytes <= $most_bytes::BIGINT THEN detail END AS detail,
  CASE WHEN bytes <= $most_bytes::BIGINT THEN 0 ELSE bytes END AS left_out
FROM (
  SELECT *, coalesce(strlen(body), 0) + coalesce(strlen(detail), 0) AS bytes
  FROM occurrence_event
) AS event
WHERE
  feed_no BETWEEN $from_no::BIGINT AND $to_no::BIGINT
  AND project_no = $project_no::INTEGER
  AND ($site_no::INTEGER IS NULL OR site_no = $site_no::INTEGER)
  AND synced_at >= $since_us::BIGINT
  AND (
    synced_at > $since_us::BIGINT
    OR occurrence_no > $after_no::BIGINT
    OR (occurrence_no = $after_no::BIGINT AND event_id > $after_event_id)
  )
