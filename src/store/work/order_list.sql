-- The latest snapshots of a project's work orders that pass every given filter, as they were taken.
SELECT snapshot
FROM work_order
WHERE
  project_no = $project_no::INTEGER AND deleted_at IS NULL
  AND ($status::VARCHAR IS NULL OR status = $status::VARCHAR)
  AND (
    $issue_id::VARCHAR IS NULL
    OR issue_no IN (
      SELECT issue_no FROM issue
      WHERE project_no = $project_no::INTEGER AND id = $issue_id::VARCHAR
    )
  )
  AND ($device::VARCHAR IS NULL OR contains(devices, $device::VARCHAR))
  AND updated_at >= $since_us::BIGINT
ORDER BY updated_at, snapshot_no
LIMIT $limit::BIGINT OFFSET $offset::BIGINT
