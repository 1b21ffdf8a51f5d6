-- Stores the changed work orders in place; what a work order is by never changes.
UPDATE work_order SET
  issue_no = s.issue_no, title = s.title, description = s.description, status = s.status,
  priority = s.priority, due_date = s.due_date, work_type = s.work_type,
  external_system = s.external_system, external_id = s.external_id,
  external_ref = s.external_ref, external_url = s.external_url, payload = s.payload,
  assigned_to = s.assigned_to, devices = s.devices, updated_at = s.updated_at,
  deleted_at = s.deleted_at, version = s.version, snapshot_no = s.snapshot_no,
  snapshot = s.snapshot
FROM work_order_stage AS s
WHERE work_order.work_order_no = s.work_order_no
