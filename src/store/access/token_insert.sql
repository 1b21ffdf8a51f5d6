-- Stores a new token: neither revoked nor used.
INSERT INTO token (
  id, name, digest, organization_id, project_ids, scopes, user_id, created_at, expires_at
)
VALUES (
  $id, $name, $digest, $organization_id, $project_ids::VARCHAR[], $scopes::VARCHAR[], $user_id,
  $created_at::BIGINT, $expires_at::BIGINT
);
