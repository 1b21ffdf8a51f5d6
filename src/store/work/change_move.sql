-- New numbers after one for all changes of some work, in their order: everybody is told them again.
UPDATE work_change SET
  change_no = fresh.change_no,
  since_no = CASE WHEN work_change.since_no IS NOT NULL THEN fresh.change_no END
FROM (
  SELECT
    change_no AS old_no,
    $after_no::BIGINT + row_number() OVER (ORDER BY change_no) AS change_no
  FROM work_change
  SEMI JOIN (SELECT unnest($owner_ids::VARCHAR[]) AS owner_id) AS wanted USING (owner_id)
  WHERE project_no = $project_no::INTEGER
) AS fresh
WHERE work_change.change_no = fresh.old_no
