-- Issues and work orders that a gateway and its centre share, and how far each has told the other.

-- Every change of an issue or a work order (kind) of a project that is shared; body is JSON of
-- model/work/change.ts. At a gateway, told_at is when the centre had it; reason is why the centre
-- does not take it, as it said at tried_at.
CREATE TABLE work_change (
  change_no BIGINT, id VARCHAR, project_no INTEGER, kind VARCHAR, owner_id VARCHAR, body VARCHAR,
  told_at BIGINT, reason VARCHAR, tried_at BIGINT
);

-- At a gateway: of a project, the last of the centre's changes that is here, as the centre counts,
-- with its id, and the id of one of its own that the centre took last. Where either side does not
-- know the other's id any more, it tells all again.
CREATE TABLE upstream_work (
  project_no INTEGER, heard_no BIGINT, heard_id VARCHAR, sent_id VARCHAR
);

-- At a gateway: changes of the centre's that can't be taken here.
CREATE TABLE upstream_work_aside (
  id VARCHAR, project_no INTEGER, body VARCHAR, reason VARCHAR, changed_at BIGINT
);
