-- Keeps what was answered to a token's request under a key.
INSERT INTO idempotent_answer (token_id, "key", digest, answer, created_at)
VALUES (
  $token_id::VARCHAR, $key::VARCHAR, $digest::VARCHAR, $answer::VARCHAR, $created_at::BIGINT
)
