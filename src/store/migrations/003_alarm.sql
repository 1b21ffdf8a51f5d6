-- Alarms: who acts, rules and where they stand, occurrences and the events of their lives.

CREATE TABLE "user" (
  id VARCHAR, organization_id VARCHAR, email VARCHAR, first_name VARCHAR, last_name VARCHAR,
  created_at BIGINT, disabled_at BIGINT
);

-- Who acts with a token; null for a machine's.
ALTER TABLE token ADD COLUMN user_id VARCHAR;

-- JSON of a device model's alarm points by key, such as Error-17.
ALTER TABLE device_model ADD COLUMN points VARCHAR;

-- One row a version of a rule; the one in force has no valid_to. definition is JSON of
-- model/rule_form.ts; origin is site_file or api.
CREATE TABLE rule (
  rule_no INTEGER, version INTEGER, site_no INTEGER, key VARCHAR, origin VARCHAR,
  definition VARCHAR, author VARCHAR, valid_from BIGINT, valid_to BIGINT
);

-- Where a rule stands on a tag: one row a subject (the code of an enum rule, else 0) that is not at
-- rest, or was. occurrence_no is its last one; bits is a decimal number; turned_us is when it last
-- raised or cleared; of a row that is quiet, since_us is when the rule began to watch.
CREATE TABLE rule_state (
  rule_no INTEGER, tag_no INTEGER, subject BIGINT, phase VARCHAR, since_us BIGINT,
  since_value DOUBLE, source_us BIGINT, peak_value DOUBLE, peak_at BIGINT, bits VARCHAR,
  turned_us BIGINT, occurrence_no BIGINT
);

-- One row an alarm. Instants are microseconds since 1970 UTC. origin is rule or source; resumes is
-- the status that a shelved one returns to; decoded_labels and params are JSON; inhibited_by is
-- the occurrence that keeps it out of the queue; sent_at is updated_at of the source's newest
-- snapshot. Its events lie from first_feed_no to last_feed_no.
-- id_hash is of occurrence_id, by occurrence_insert.sql: an ID is found without reading texts.
CREATE TABLE occurrence (
  occurrence_no BIGINT, occurrence_id VARCHAR, project_no INTEGER, site_no INTEGER,
  origin VARCHAR, source VARCHAR, rule_no INTEGER, rule_name VARCHAR, rule_version DOUBLE,
  rule_description VARCHAR, kind VARCHAR, severity VARCHAR, alarm_class VARCHAR, is_nerc BOOLEAN,
  status VARCHAR, resumes VARCHAR, shelved_until BIGINT, claimed_by VARCHAR,
  resolution_policy VARCHAR, resolution VARCHAR,
  raised_at BIGINT, source_ts BIGINT, updated_at BIGINT, sent_at BIGINT, synced_at BIGINT,
  cleared_at BIGINT,
  raised_value DOUBLE, last_value DOUBLE, peak_value DOUBLE, peak_at BIGINT,
  recovered_value DOUBLE, source_tag VARCHAR, measure VARCHAR, device_id VARCHAR,
  decoded_labels VARCHAR, point_key VARCHAR, params VARCHAR,
  is_late BOOLEAN, is_flood BOOLEAN, is_chattering BOOLEAN, inhibited_by BIGINT,
  events_total INTEGER, first_feed_no BIGINT, last_feed_no BIGINT, id_hash BIGINT
);

-- One row an event, never changed. feed_no rises in the order of the feed: by synced_at, then
-- occurrence_no, then event_id. user_email is a source's word on someone who is no user here.
CREATE TABLE occurrence_event (
  feed_no BIGINT, synced_at BIGINT, project_no INTEGER, site_no INTEGER, occurrence_no BIGINT,
  occurrence_id VARCHAR, event_id VARCHAR, type VARCHAR, kind VARCHAR, created_at BIGINT,
  body VARCHAR, user_id VARCHAR, user_email VARCHAR, external_user_id VARCHAR, detail VARCHAR
);

-- Events that a source sent before their occurrence.
CREATE TABLE waiting_event (
  project_no INTEGER, occurrence_id VARCHAR, received_at BIGINT,
  event_id VARCHAR, type VARCHAR, kind VARCHAR, created_at BIGINT, body VARCHAR,
  user_id VARCHAR, user_email VARCHAR, external_user_id VARCHAR, detail VARCHAR
);
