-- Views of the screens that people saved: a page and the query of its address.
CREATE TABLE saved_view (
  id VARCHAR, project_no INTEGER, page VARCHAR, name VARCHAR, address VARCHAR, created_by VARCHAR,
  created_at BIGINT, updated_at BIGINT, version INTEGER
);
