-- Issues of a project of which, or of a work order of which, no change or no place is kept; deleted
-- ones where they are asked for.
WITH
  shared AS (
    SELECT DISTINCT owner_id AS id FROM work_change WHERE project_no = $project_no::INTEGER
  ),
  placed AS (
    SELECT owner_id AS id FROM work_place WHERE project_no = $project_no::INTEGER
  ),
  thing AS (
    SELECT i.id, i.issue_no, i.deleted_at IS NULL AS is_there
    FROM issue AS i
    WHERE i.project_no = $project_no::INTEGER
    UNION ALL
    SELECT w.id, w.issue_no, w.deleted_at IS NULL AND i.deleted_at IS NULL
    FROM work_order AS w
    JOIN issue AS i USING (issue_no)
    WHERE w.project_no = $project_no::INTEGER
  )
SELECT DISTINCT issue_no
FROM thing
WHERE
  ((is_there OR list_contains($deleted_ids::VARCHAR[], id)) AND id NOT IN (FROM shared))
  OR (id IN (FROM shared) AND id NOT IN (FROM placed))
ORDER BY issue_no
LIMIT $limit::BIGINT
