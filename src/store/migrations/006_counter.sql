-- Counters: what happened to them beside climbing, declared resets, registers of any end. What they
-- counted is worked out anew, as a difference must be possible at any spacing.

ALTER TABLE sensor ADD COLUMN register_modulus DOUBLE;

-- By sensor and reading; instants are microseconds since 1970 UTC, values as they were sent.
CREATE TABLE counter_event (
  sensor_no INTEGER, kind VARCHAR, ts BIGINT, value DOUBLE, before_ts BIGINT, before_value DOUBLE,
  readings INTEGER, counted DOUBLE, most DOUBLE, reset_us BIGINT
);

-- What somebody declared of a register. site_no: whose site file it is; null: made by a request.
CREATE TABLE counter_reset (
  id VARCHAR, project_no INTEGER, site_no INTEGER, tag_no INTEGER, at_us BIGINT,
  last_value DOUBLE, first_value DOUBLE, author VARCHAR
);

INSERT INTO stale
SELECT DISTINCT tag_no, (ts // 86400000000)::INTEGER
FROM sample
WHERE tag_no IN (SELECT tag_no FROM sensor WHERE accumulation = 'counter')
UNION
SELECT s.tag_no, q.quarter // 96
FROM quarter AS q
JOIN sensor AS s USING (sensor_no)
WHERE s.accumulation = 'counter';
