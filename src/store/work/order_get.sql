-- A project's work order by its id, unless it is deleted, with its latest snapshot.
SELECT work_order_no, version, snapshot
FROM work_order
WHERE project_no = $project_no::INTEGER AND id = $id::VARCHAR AND deleted_at IS NULL
ORDER BY work_order_no
