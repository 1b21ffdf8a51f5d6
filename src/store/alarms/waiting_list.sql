-- The events of a project that wait for their occurrence, the longest waiting first.
SELECT occurrence_id, received_at, event_id, type, kind, created_at
FROM waiting_event
WHERE
  project_no = $project_no::INTEGER
ORDER BY received_at, occurrence_id, event_id
LIMIT $limit::BIGINT OFFSET $offset::BIGINT
