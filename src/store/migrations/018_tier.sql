-- Days (UTC, since 1970) whose samples lie in a Parquet file, or are being copied into one.
CREATE TABLE tier_day (
  day INTEGER, file VARCHAR, state VARCHAR, rows BIGINT, bytes BIGINT, last_received_at BIGINT
);
