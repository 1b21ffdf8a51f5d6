-- The issues of a project, by their ids and by their work orders' ids; deleted ones where asked.
SELECT i.issue_no
FROM issue AS i
SEMI JOIN (SELECT unnest($issue_ids::VARCHAR[]) AS id) AS wanted USING (id)
WHERE i.project_no = $project_no::INTEGER AND ($deleted::BOOLEAN OR i.deleted_at IS NULL)
UNION
SELECT w.issue_no
FROM work_order AS w
SEMI JOIN (SELECT unnest($work_order_ids::VARCHAR[]) AS id) AS wanted USING (id)
WHERE w.project_no = $project_no::INTEGER AND ($deleted::BOOLEAN OR w.deleted_at IS NULL)
ORDER BY issue_no
