-- Takes out the waiting events of a project's occurrences; unordered, for the caller sorts them.
DELETE FROM waiting_event
WHERE
  project_no = $project_no::INTEGER
  AND occurrence_id IN (SELECT unnest($ids::VARCHAR[]))
RETURNING
  occurrence_id, received_at, event_id, type, kind, created_at, body, user_id, user_email,
  external_user_id, detail
