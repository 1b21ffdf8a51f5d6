-- A page of a project's events in the order of the feed, after one of them.
SELECT
  feed_no, synced_at, e.project_no, e.site_no, occurrence_no, o.occurrence_id, event_id, type,
  e.kind, created_at, body, user_id, user_email, external_user_id, detail
FROM occurrence_event AS e
JOIN (SELECT occurrence_no, occurrence_id FROM occurrence) AS o USING (occurrence_no)
WHERE
  e.project_no = $project_no::INTEGER
  AND ($site_no::INTEGER IS NULL OR e.site_no = $site_no::INTEGER)
  AND synced_at >= $since_us::BIGINT
  AND (
    synced_at > $since_us::BIGINT
    OR occurrence_no > $after_no::BIGINT
    OR (occurrence_no = $after_no::BIGINT AND event_id > $after_event_id)
  )
ORDER BY feed_no
LIMIT $limit::BIGINT OFFSET $offset::BIGINT
