-- Issues by their numbers.
SELECT
  issue_no, id, organization_id, project_no, number, sentinel_tag, name, description, status,
  priority, source, external_id, effective_from, effective_to, resolved_at, assigned_to,
  created_by, devices, created_at, updated_at, deleted_at, merged_into, version, snapshot_no
FROM issue
SEMI JOIN (SELECT unnest($nos::BIGINT[]) AS issue_no) AS wanted USING (issue_no)
ORDER BY issue_no
