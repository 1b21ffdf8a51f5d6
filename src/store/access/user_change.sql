-- Changes the user $id: all that may change of it.
UPDATE "user" SET
  email = $email, first_name = $first_name, last_name = $last_name,
  disabled_at = $disabled_at::BIGINT
WHERE id = $id;
