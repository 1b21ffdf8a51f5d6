-- Issues and work orders of a project that the centre has, after one: of those that hang together
-- with any change that it has not, none.
WITH
  thing AS (
    SELECT id, issue_no FROM issue WHERE project_no = $project_no::INTEGER
    UNION ALL
    SELECT id, issue_no FROM work_order WHERE project_no = $project_no::INTEGER
  ),
  waits AS (
    SELECT issue_no
    FROM thing
    JOIN work_change ON owner_id = thing.id
    WHERE told_at IS NULL
  )
SELECT thing.id
FROM thing
JOIN work_change AS made ON made.id = thing.id AND made.owner_id = thing.id
WHERE thing.id > $after_id::VARCHAR AND issue_no NOT IN (FROM waits)
ORDER BY thing.id
LIMIT $limit::BIGINT
