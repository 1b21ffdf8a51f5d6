-- What a user who signs in may do; null: nothing. project_ids null: every project of the
-- organization.
ALTER TABLE "user" ADD COLUMN scopes VARCHAR[];
ALTER TABLE "user" ADD COLUMN project_ids VARCHAR[];

-- Browsers that are signed in, as a user or with a token. digest is SHA-256 of the cookie; via says
-- how: token, link, password, oidc or demo.
CREATE TABLE session (
  id VARCHAR, digest VARCHAR, user_id VARCHAR, token_id VARCHAR, via VARCHAR, address VARCHAR,
  created_at BIGINT, last_used_at BIGINT
);

-- One-time links that are not used yet, for a user or a token; digest is SHA-256 of the code.
CREATE TABLE sign_in_link (
  digest VARCHAR, user_id VARCHAR, token_id VARCHAR, expires_at BIGINT
);

-- hash is a scrypt hash with its parameters, in PHC form.
CREATE TABLE password (user_id VARCHAR, hash VARCHAR, changed_at BIGINT);
