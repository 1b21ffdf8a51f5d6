-- signing_key.seed, subscription_secret.secret and subscription.headers are sealed from now on,
-- with a key outside the database; meta.key is its name. While meta.sealing is due, they are as
-- before; while it is wipe, the file may still hold texts of before.
INSERT INTO meta VALUES ('sealing', 'due');
