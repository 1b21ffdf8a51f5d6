-- Every user, the oldest first.
SELECT id, organization_id, email, first_name, last_name, created_at, disabled_at
FROM "user"
ORDER BY created_at, id;
