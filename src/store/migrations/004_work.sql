-- The plant's work and its voice: issues, work orders, subscriptions, events and their deliveries.

-- Instants are microseconds since 1970 UTC; devices, payload, headers and values are JSON.
-- number counts in its organization. version rises with each change. snapshot: the body of
-- snapshot_no, as reading ten thousand of them out of a million takes seconds, out of these 40 ms.
CREATE TABLE issue (
  issue_no BIGINT, id VARCHAR, organization_id VARCHAR, project_no INTEGER, number INTEGER,
  sentinel_tag VARCHAR, name VARCHAR, description VARCHAR, status VARCHAR, priority VARCHAR,
  source VARCHAR, external_id VARCHAR, effective_from BIGINT, effective_to BIGINT,
  resolved_at BIGINT, assigned_to VARCHAR, created_by VARCHAR, devices VARCHAR,
  created_at BIGINT, updated_at BIGINT, deleted_at BIGINT, merged_into BIGINT,
  version INTEGER, snapshot_no BIGINT, snapshot VARCHAR
);

CREATE TABLE work_order (
  work_order_no BIGINT, id VARCHAR, organization_id VARCHAR, project_no INTEGER, number INTEGER,
  issue_no BIGINT, title VARCHAR, description VARCHAR, status VARCHAR, priority VARCHAR,
  due_date BIGINT, work_type VARCHAR, external_system VARCHAR, external_id VARCHAR,
  external_ref VARCHAR, external_url VARCHAR, payload VARCHAR, assigned_to VARCHAR,
  created_by VARCHAR, devices VARCHAR, created_at BIGINT, updated_at BIGINT, deleted_at BIGINT,
  version INTEGER, snapshot_no BIGINT, snapshot VARCHAR
);

-- Each issue and work order (kind) as it was whenever a change happened: the JSON of lists and
-- webhooks. Nothing is ever taken out.
CREATE TABLE work_snapshot (
  snapshot_no BIGINT, kind VARCHAR, owner_no BIGINT, project_no INTEGER, changed_at BIGINT,
  body VARCHAR
);

CREATE TABLE issue_history (
  history_no BIGINT, id VARCHAR, issue_no BIGINT, kind VARCHAR, field VARCHAR,
  previous_value VARCHAR, next_value VARCHAR, detail VARCHAR, user_id VARCHAR, created_at BIGINT
);

CREATE TABLE issue_alarm (issue_no BIGINT, occurrence_no BIGINT, created_at BIGINT);

-- When a device was worked on, [from_us, to_us); to_us is null while it goes on.
CREATE TABLE work_window (
  work_order_no BIGINT, project_no INTEGER, device_id VARCHAR, work_type VARCHAR,
  from_us BIGINT, to_us BIGINT
);

-- Answers to creates that carried an Idempotency-Key; digest is of the request.
CREATE TABLE idempotent_answer (
  token_id VARCHAR, key VARCHAR, digest VARCHAR, answer VARCHAR, created_at BIGINT
);

-- Calls of the inbound sync that were applied, with their answers.
CREATE TABLE sync_call (
  project_no INTEGER, delivery_id VARCHAR, received_at BIGINT, answer VARCHAR
);

-- project_ids null: every project of the organization. state: enabled, paused or disabled.
CREATE TABLE subscription (
  subscription_no INTEGER, id VARCHAR, organization_id VARCHAR, project_ids VARCHAR[],
  name VARCHAR, target VARCHAR, event_types VARCHAR[], headers VARCHAR, timeout_s INTEGER,
  is_ordered BOOLEAN, hears_itself BOOLEAN, state VARCHAR, reason VARCHAR,
  created_at BIGINT, updated_at BIGINT, deleted_at BIGINT
);

CREATE TABLE subscription_secret (
  subscription_no INTEGER, secret VARCHAR, created_at BIGINT, expires_at BIGINT
);

-- Ed25519 keys of the service; seed is base64url. A key is published from created_at on.
CREATE TABLE signing_key (
  kid VARCHAR, seed VARCHAR, created_at BIGINT, signs_from BIGINT, signs_until BIGINT,
  expires_at BIGINT
);

-- What happened, once, with the bytes that every attempt sends. origin: the subscription whose word
-- a change was, by its id.
CREATE TABLE outbox (
  event_no BIGINT, id VARCHAR, type VARCHAR, occurred_at BIGINT, organization_id VARCHAR,
  project_no INTEGER, origin VARCHAR, body VARCHAR, created_at BIGINT
);

-- An event on its way to a subscription. state: pending, acknowledged, dead or held.
CREATE TABLE delivery (
  delivery_no BIGINT, event_no BIGINT, subscription_no INTEGER, state VARCHAR, attempts INTEGER,
  due_at BIGINT, settled_at BIGINT, created_at BIGINT
);

CREATE TABLE delivery_attempt (
  delivery_no BIGINT, attempt INTEGER, sent_at BIGINT, took_ms DOUBLE, status INTEGER,
  error VARCHAR, address VARCHAR, answer VARCHAR
);
