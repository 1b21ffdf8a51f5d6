-- The place of one event in a stretch of a project's feed, so many behind the stretch's first.
SELECT feed_no, synced_at, occurrence_no, event_id
FROM occurrence_event
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
ORDER BY feed_no
LIMIT 1 OFFSET $skip::BIGINT
