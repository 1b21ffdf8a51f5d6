-- What was answered to a token's request under a key, unless it is too long ago.
SELECT digest, answer
FROM idempotent_answer
WHERE
  token_id = $token_id::VARCHAR AND "key" = $key::VARCHAR AND created_at > $after_us::BIGINT
ORDER BY created_at
