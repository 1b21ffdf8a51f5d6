-- What a gateway has not forwarded to its centre yet.

-- Stamps of storing, [from_us, to_us), of a project: what carries one of them waits.
CREATE TABLE upstream_span (project_no INTEGER, from_us BIGINT, to_us BIGINT);

-- Rows that the centre does not take, one line a tag and lane; from_us and to_us are stamps.
CREATE TABLE upstream_aside (
  tag_no INTEGER, lane VARCHAR, rows BIGINT, first_ts BIGINT, last_ts BIGINT, from_us BIGINT,
  to_us BIGINT, reason VARCHAR, changed_at BIGINT
);

-- What was sent on a day (UTC, since 1970): bytes as they went over the line, rows taken.
CREATE TABLE upstream_day (day INTEGER, bytes BIGINT, rows BIGINT);

-- What was dropped before it was forwarded: samples or forecasts of a day (UTC, since 1970).
CREATE TABLE upstream_lost (
  project_no INTEGER, kept VARCHAR, day INTEGER, rows BIGINT, lost_at BIGINT
);
