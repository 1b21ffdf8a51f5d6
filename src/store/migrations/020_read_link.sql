-- Links that read one thing without a token. digest is SHA-256 of the secret part of the address;
-- read is JSON of model/access/read_link.ts; one of token_id and user_id says whose rights it has.
CREATE TABLE read_link (
  id VARCHAR, name VARCHAR, digest VARCHAR, read VARCHAR, format VARCHAR, token_id VARCHAR,
  user_id VARCHAR, created_at BIGINT, expires_at BIGINT, revoked_at BIGINT
);
