-- Events of an organization, those recorded within a span or the one of an id, the oldest first.
SELECT event_no, id, type, project_no, origin
FROM outbox
WHERE
  organization_id = $organization_id
  AND ($event_id IS NULL OR id = $event_id)
  AND ($from_us IS NULL OR created_at >= $from_us)
  AND ($to_us IS NULL OR created_at < $to_us)
ORDER BY event_no
LIMIT $count::BIGINT
