-- Stores the changed issues in place; what an issue is by never changes.
UPDATE issue SET
  sentinel_tag = s.sentinel_tag, name = s.name, description = s.description, status = s.status,
  priority = s.priority, external_id = s.external_id, effective_from = s.effective_from,
  effective_to = s.effective_to, resolved_at = s.resolved_at, assigned_to = s.assigned_to,
  devices = s.devices, updated_at = s.updated_at, deleted_at = s.deleted_at,
  merged_into = s.merged_into, version = s.version, snapshot_no = s.snapshot_no,
  snapshot = s.snapshot
FROM issue_stage AS s
WHERE issue.issue_no = s.issue_no
