-- The highest numbers of an organization's issues and work orders, deleted ones too; 0 for none.
SELECT
  (
    SELECT coalesce(max(number), 0) FROM issue WHERE organization_id = $organization_id::VARCHAR
  )::BIGINT AS issue,
  (
    SELECT coalesce(max(number), 0) FROM work_order
    WHERE organization_id = $organization_id::VARCHAR
  )::BIGINT AS work_order
