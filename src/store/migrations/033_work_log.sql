-- The log of shared work has bounds, and a gateway is told of its own sites alone.

-- order_us is the change's; says: whether it makes or changes a field, not only tells history.
-- since_no is of a change that makes something: who has heard of that number has the history, too.
ALTER TABLE work_change ADD COLUMN order_us BIGINT;
ALTER TABLE work_change ADD COLUMN says BOOLEAN;
ALTER TABLE work_change ADD COLUMN since_no BIGINT;
ALTER TABLE work_change ADD COLUMN stored_at BIGINT;
UPDATE work_change SET
  order_us = (body->>'order_us')::BIGINT,
  says = (body->>'made') IS NOT NULL OR json_array_length(body, '$.fields') > 0,
  since_no = CASE WHEN (body->>'made') IS NOT NULL THEN change_no END,
  stored_at = (body->>'at_us')::BIGINT;

-- Where an issue or a work order is: keys of sites, with commas; null: of no site, but every
-- gateway's of the project. origin: the sites of the gateway where it was made; null: it was made
-- here. was: every site that it ever was at, and '' for all. moved_no is the number, among those of
-- changes, of its last move.
CREATE TABLE work_place (
  project_no INTEGER, owner_id VARCHAR, origin VARCHAR, sites VARCHAR, was VARCHAR,
  moved_no BIGINT
);

-- Who shares the work of a project: at a centre the tokens of gateways, at a gateway '' for its
-- centre. marks: JSON of the places in the log that it may be at.
CREATE TABLE work_reader (
  token_id VARCHAR, project_no INTEGER, heard_at BIGINT, marks VARCHAR
);

-- The sites of which a gateway has heard, with commas.
ALTER TABLE upstream_work ADD COLUMN sites VARCHAR;
