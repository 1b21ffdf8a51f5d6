-- The changes of a project after one, of what is at some sites or at none.
SELECT {row}
FROM work_change
WHERE
  rowid IN (
    SELECT c.rowid
    FROM work_change AS c
    JOIN work_place AS p USING (project_no, owner_id)
    WHERE
      c.project_no = $project_no::INTEGER AND c.change_no > $after_no::BIGINT
      AND (p.sites IS NULL OR list_has_any(string_split(p.sites, ','), $sites::VARCHAR[]))
    ORDER BY c.change_no
    LIMIT $limit::BIGINT
  )
ORDER BY change_no
