-- Every signing key, the oldest first.
SELECT kid, seed, created_at, signs_from, signs_until, expires_at
FROM signing_key
ORDER BY created_at, kid;
