-- A project's issue by its id, unless it is deleted, with its latest snapshot.
SELECT issue_no, version, snapshot
FROM issue
WHERE project_no = $project_no::INTEGER AND id = $id::VARCHAR AND deleted_at IS NULL
ORDER BY issue_no
