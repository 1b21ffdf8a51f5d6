-- The history of a project's issue, deleted or not, the oldest first.
SELECT
  h.history_no, h.id, h.issue_no, h.kind, h.field, h.previous_value, h.next_value, h.detail,
  h.user_id, h.created_at
FROM issue_history AS h
JOIN issue AS i USING (issue_no)
WHERE i.project_no = $project_no::INTEGER AND i.id = $id::VARCHAR
ORDER BY h.history_no
