-- Stores a new user.
INSERT INTO "user" (
  id, organization_id, email, first_name, last_name, created_at, disabled_at
)
VALUES (
  $id, $organization_id, $email, $first_name, $last_name, $created_at::BIGINT,
  $disabled_at::BIGINT
);
