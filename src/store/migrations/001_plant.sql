-- Tenancy, the plant's hierarchy, tags, samples and everything that is rolled up from them.
-- No key, unique or index on anything that grows: uniqueness is the writer's job.

CREATE TABLE meta (name VARCHAR, value VARCHAR);

CREATE TABLE organization (id VARCHAR, key VARCHAR, name VARCHAR);

CREATE TABLE project (
  project_no INTEGER, id VARCHAR, organization_id VARCHAR, key VARCHAR, name VARCHAR,
  portfolio VARCHAR, timezone VARCHAR
);

CREATE TABLE site (
  site_no INTEGER, id VARCHAR, project_no INTEGER, key VARCHAR, name VARCHAR,
  latitude DOUBLE, longitude DOUBLE
);

CREATE TABLE block (id VARCHAR, site_no INTEGER, key VARCHAR, name VARCHAR);

CREATE TABLE device (
  id VARCHAR, site_no INTEGER, key VARCHAR, name VARCHAR, type VARCHAR,
  parent_device_id VARCHAR, block_id VARCHAR
);

CREATE TABLE tag (
  tag_no INTEGER, project_no INTEGER, lane VARCHAR, sensor_tag VARCHAR, tag_class VARCHAR,
  encoding VARCHAR, unit VARCHAR, carry_s INTEGER, device_key VARCHAR, device_name VARCHAR,
  declared BOOLEAN
);

-- Which site's file declares a tag.
CREATE TABLE site_tag (site_no INTEGER, tag_no INTEGER);

CREATE TABLE sensor (
  sensor_no INTEGER, hierarchy_id VARCHAR, project_no INTEGER, site_no INTEGER, tag_no INTEGER,
  device_id VARCHAR, block_id VARCHAR, sentinel_tag VARCHAR, component VARCHAR, measure VARCHAR,
  scale DOUBLE, "offset" DOUBLE, capacity DOUBLE, accumulation VARCHAR, interval_s INTEGER,
  interval_at VARCHAR, register_bits INTEGER, direct BOOLEAN
);

CREATE TABLE token (
  id VARCHAR, name VARCHAR, digest VARCHAR, organization_id VARCHAR, project_ids VARCHAR[],
  scopes VARCHAR[], created_at BIGINT, expires_at BIGINT, revoked_at BIGINT, last_used_at BIGINT
);

-- One row a sample, as sent, in the order of storing. Instants are microseconds since 1970 UTC.
-- quality: 0 good, 1 uncertain, 2 bad; null when the source reports none.
CREATE TABLE sample (
  tag_no INTEGER, ts BIGINT, received_at BIGINT,
  value DOUBLE, value_int BIGINT, value_str VARCHAR, quality UTINYINT, status_code UINTEGER
);

-- One expected value of one run of a forecast.
CREATE TABLE forecast (
  tag_no INTEGER, ts BIGINT, issued_at BIGINT, received_at BIGINT, value DOUBLE
);

-- One row a tag and minute (minutes since 1970 UTC), by (local day, tag, minute).
-- sum and count are of the usable floats; minimum and maximum likewise; quality 3 is partial.
CREATE TABLE minute (
  day INTEGER, tag_no INTEGER, minute INTEGER, received_at BIGINT,
  value DOUBLE, value_int BIGINT, value_str VARCHAR, minimum DOUBLE, maximum DOUBLE,
  quality UTINYINT, status_code UINTEGER, carried BOOLEAN,
  good_count INTEGER, uncertain_count INTEGER, bad_count INTEGER
);

-- One row a sensor and minute in the measure's unit, by (local day, sensor, minute). An increment's
-- value is the minute's amount. light: the minute lies in daylight. Null where there is no value.
CREATE TABLE reading (
  day INTEGER, sensor_no INTEGER, minute INTEGER, light BOOLEAN,
  value DOUBLE, model DOUBLE, value_setpoint DOUBLE, model_setpoint DOUBLE
);

-- Readings of a quarter-hour (quarters since 1970 UTC) and of a local day: up to two rows each, one
-- of its daylight minutes and one of its dark ones. n and sums are over minutes that have a value;
-- last is the value of last_minute.
CREATE TABLE quarter (
  day INTEGER, sensor_no INTEGER, quarter INTEGER, light BOOLEAN,
  n INTEGER, value DOUBLE, minimum DOUBLE, maximum DOUBLE, last DOUBLE, last_minute INTEGER,
  value_setpoint DOUBLE, model_n INTEGER, model DOUBLE, model_setpoint DOUBLE
);

CREATE TABLE daily (
  day INTEGER, sensor_no INTEGER, light BOOLEAN,
  n INTEGER, value DOUBLE, minimum DOUBLE, maximum DOUBLE, last DOUBLE, last_minute INTEGER,
  value_setpoint DOUBLE, model_n INTEGER, model DOUBLE, model_setpoint DOUBLE
);

-- What must be rolled up anew although no sample came: a tag's local day after a changed mapping.
CREATE TABLE stale (tag_no INTEGER, day INTEGER);
