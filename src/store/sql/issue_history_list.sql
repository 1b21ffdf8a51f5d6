-- The history of an issue, the oldest first.
SELECT
  history_no, id, issue_no, kind, field, previous_value, next_value, detail, user_id, created_at
FROM issue_history
WHERE issue_no = $issue_no::BIGINT
ORDER BY history_no
