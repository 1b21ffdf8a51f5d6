-- Days (UTC, since 1970) whose samples lie in a Parquet file: being copied into one, moved there,
-- or taken back out of it; such a file is still to be removed.
CREATE TABLE tier_day (
  day INTEGER, file VARCHAR, state VARCHAR, rows BIGINT, bytes BIGINT, sha256 VARCHAR,
  last_received_at BIGINT
);
