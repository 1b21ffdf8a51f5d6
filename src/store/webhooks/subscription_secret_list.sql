-- Every secret, of a subscription the newest first.
SELECT subscription_no, secret, created_at, expires_at
FROM subscription_secret
ORDER BY subscription_no, created_at DESC, expires_at DESC NULLS FIRST
