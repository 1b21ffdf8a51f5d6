-- Stores a signing key.
INSERT INTO signing_key (kid, seed, created_at, signs_from, signs_until, expires_at)
VALUES (
  $kid, $seed, $created_at::BIGINT, $signs_from::BIGINT, $signs_until::BIGINT, $expires_at::BIGINT
);
