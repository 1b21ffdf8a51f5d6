-- The work orders that are not deleted of some issues.
SELECT
  work_order_no, id, organization_id, project_no, number, issue_no, title, description, status,
  priority, due_date, work_type, external_system, external_id, external_ref, external_url, payload,
  assigned_to, created_by, devices, created_at, updated_at, deleted_at, version, snapshot_no
FROM work_order
SEMI JOIN (SELECT unnest($issue_nos::BIGINT[]) AS issue_no) AS wanted USING (issue_no)
WHERE deleted_at IS NULL
ORDER BY work_order_no
