-- Events of a stretch of a project's feed, in any order; users of the organization by their address
-- of today.
SELECT
  feed_no, synced_at, occurrence_no, event_id, occurrence_id, type, kind, created_at, body,
  user_id, coalesce(member.email, user_email) AS user_email, external_user_id, detail
FROM occurrence_event
LEFT JOIN (
  SELECT id, email FROM "user" WHERE organization_id = $organization_id
) AS member ON member.id = user_id
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
