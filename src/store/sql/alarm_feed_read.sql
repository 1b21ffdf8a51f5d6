-- Events of a project in a stretch of the feed, in its order.
SELECT
  feed_no, synced_at, project_no, site_no, occurrence_no, occurrence_id, event_id, type, kind,
  created_at, body, user_id, user_email, external_user_id, detail
FROM occurrence_event
WHERE
  feed_no BETWEEN $from_feed_no::BIGINT AND $to_feed_no::BIGINT
  AND project_no = $project_no::INTEGER
  AND ($site_no::INTEGER IS NULL OR site_no = $site_no::INTEGER)
ORDER BY feed_no
LIMIT $limit::BIGINT OFFSET $offset::BIGINT
