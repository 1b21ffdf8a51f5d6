-- Stores a new override.
INSERT INTO state_override (
  id, project_no, hierarchy_ids, state, from_us, to_us, reason, author, created_at
)
VALUES (
  $id, $project_no::INTEGER, $hierarchy_ids::VARCHAR[], $state, $from_us::BIGINT, $to_us::BIGINT,
  $reason, $author, $created_at::BIGINT
)
