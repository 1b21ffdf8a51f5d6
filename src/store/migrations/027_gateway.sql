-- Alarms that a gateway judges for its centre, and how far each has told the other.

-- judged_at is the rule's word when it was raised. gateway is the name of the gateway that judges
-- it, at its centre; null for what is judged here.
ALTER TABLE occurrence ADD COLUMN judged_at VARCHAR DEFAULT 'here';
ALTER TABLE occurrence ADD COLUMN gateway VARCHAR;

-- At a centre: each gateway as it was heard last; project_ids is JSON.
CREATE TABLE gateway (
  token_id VARCHAR, name VARCHAR, token_name VARCHAR, version VARCHAR, organization_id VARCHAR,
  project_ids VARCHAR, lag_s DOUBLE, waiting_rows BIGINT, lost_rows BIGINT, heard_us BIGINT
);

-- At a centre: what a gateway stored of a project before told_us is here, but for what it stored
-- from backlog_from_us until backlog_to_us. From review_us on, silences are not judged yet.
CREATE TABLE gateway_mark (
  token_id VARCHAR, project_no INTEGER, name VARCHAR, heard_us BIGINT, told_us BIGINT,
  backlog_from_us BIGINT, backlog_to_us BIGINT, review_us BIGINT
);

-- At a centre: which gateway sent a tag last.
CREATE TABLE gateway_tag (token_id VARCHAR, tag_no INTEGER);

-- At a gateway: of a project, the last of its own events that the centre has, and the last of the
-- centre's that is here, as the centre counts.
CREATE TABLE upstream_alarm (project_no INTEGER, sent_no BIGINT, heard_no BIGINT);

-- At a gateway: alarms that the centre does not take, or has only a part of.
CREATE TABLE upstream_alarm_aside (
  project_no INTEGER, occurrence_no BIGINT, reason VARCHAR, changed_at BIGINT
);
