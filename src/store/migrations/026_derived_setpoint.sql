-- What a derived tag is computed from: JSON of model/derived/derived.ts; null for one that is sent.
ALTER TABLE tag ADD COLUMN derived VARCHAR;

-- Commands to setpoints, each as it was asked for and how it ended: model/setpoints/setpoint.ts.
CREATE TABLE setpoint_command (
  id VARCHAR, project_no INTEGER, site_no INTEGER, key VARCHAR, source VARCHAR, device VARCHAR,
  tag VARCHAR, value DOUBLE, unit VARCHAR, note VARCHAR, before DOUBLE, after DOUBLE,
  outcome VARCHAR, reason VARCHAR, author VARCHAR, user_id VARCHAR, asked_at BIGINT,
  ended_at BIGINT
);
