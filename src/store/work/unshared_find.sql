-- Issues of a project of which, or of a work order of which, no change is kept.
SELECT i.issue_no
FROM issue AS i
WHERE
  i.project_no = $project_no::INTEGER AND i.deleted_at IS NULL
  AND i.id NOT IN (SELECT owner_id FROM work_change WHERE project_no = $project_no::INTEGER)
UNION
SELECT w.issue_no
FROM work_order AS w
JOIN issue AS i USING (issue_no)
WHERE
  w.project_no = $project_no::INTEGER AND w.deleted_at IS NULL AND i.deleted_at IS NULL
  AND w.id NOT IN (SELECT owner_id FROM work_change WHERE project_no = $project_no::INTEGER)
ORDER BY issue_no
LIMIT $limit::BIGINT
