-- Where a project's samples are sent beside a centre. definition is JSON of
-- model/destinations/form.ts; secrets is JSON too, sealed.
CREATE TABLE destination (
  destination_no INTEGER, id VARCHAR, project_no INTEGER, key VARCHAR, definition VARCHAR,
  secrets VARCHAR, author VARCHAR, created_at BIGINT
);

-- What waits, was set aside, sent and lost is kept alike of each of them; 0 is the centre.
ALTER TABLE upstream_span ADD COLUMN destination_no INTEGER DEFAULT 0;
ALTER TABLE upstream_aside ADD COLUMN destination_no INTEGER DEFAULT 0;
ALTER TABLE upstream_day ADD COLUMN destination_no INTEGER DEFAULT 0;
ALTER TABLE upstream_lost ADD COLUMN destination_no INTEGER DEFAULT 0;
