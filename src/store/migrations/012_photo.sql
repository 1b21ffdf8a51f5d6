-- Photos of issues and work orders (kind), whose bytes lie in files of their ids' names.

CREATE TABLE photo (
  id VARCHAR, kind VARCHAR, owner_id VARCHAR, project_no INTEGER,
  media_type VARCHAR, size INTEGER, created_by VARCHAR, created_at BIGINT
);
