-- The latest snapshots of a project's issues that pass every given filter.
SELECT snapshot
FROM issue
WHERE
  project_no = $project_no::INTEGER AND deleted_at IS NULL
  AND ($status::VARCHAR IS NULL OR status = $status::VARCHAR)
  AND ($priority::VARCHAR IS NULL OR priority = $priority::VARCHAR)
  AND (
    $alarm::VARCHAR IS NULL
    OR issue_no IN (
      SELECT issue_no
      FROM issue_alarm
      JOIN occurrence USING (occurrence_no)
      WHERE project_no = $project_no::INTEGER AND occurrence_id = $alarm::VARCHAR
    )
  )
  AND ($assigned_to::VARCHAR IS NULL OR assigned_to = $assigned_to::VARCHAR)
  AND ($device::VARCHAR IS NULL OR contains(devices, $device::VARCHAR))
  AND ($active::BOOLEAN IS NULL OR list_contains($statuses::VARCHAR[], status) = $active::BOOLEAN)
  AND updated_at >= $since_us::BIGINT
ORDER BY {order}
LIMIT $limit::BIGINT OFFSET $offset::BIGINT
