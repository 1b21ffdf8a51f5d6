-- How many changes wait of an issue with its work orders, or of a work order with its issue; when
-- the last of the others was told, and why one is not taken.
SELECT
  (count(*) FILTER (told_at IS NULL))::INTEGER AS waiting, max(told_at) AS told_at,
  max(reason) FILTER (told_at IS NULL) AS reason
FROM work_change
WHERE
  project_no = $project_no::INTEGER
  AND (
    owner_id = $id::VARCHAR
    OR owner_id IN (
      SELECT w.id FROM work_order AS w JOIN issue AS i USING (issue_no) WHERE i.id = $id::VARCHAR
    )
    OR owner_id IN (
      SELECT i.id FROM work_order AS w JOIN issue AS i USING (issue_no) WHERE w.id = $id::VARCHAR
    )
  )
