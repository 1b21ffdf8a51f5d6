-- Every token, the oldest first; its lists as words with a space between them.
SELECT
  id, name, digest, organization_id,
  array_to_string(project_ids, ' ')::VARCHAR AS project_ids,
  array_to_string(scopes, ' ')::VARCHAR AS scopes,
  user_id, created_at, expires_at, revoked_at, last_used_at
FROM token
ORDER BY created_at, id;
