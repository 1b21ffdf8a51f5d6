-- The issues that are not deleted of a project, by their ids and by their work orders' ids.
SELECT issue_no
FROM issue
WHERE project_no = $project_no::INTEGER AND deleted_at IS NULL AND (
  list_contains($issue_ids::VARCHAR[], id)
  OR issue_no IN (
    SELECT issue_no
    FROM work_order
    WHERE
      project_no = $project_no::INTEGER AND deleted_at IS NULL
      AND list_contains($work_order_ids::VARCHAR[], id)
  )
)
ORDER BY issue_no
