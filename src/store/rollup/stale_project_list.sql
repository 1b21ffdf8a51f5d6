-- The stale days (UTC) of some projects, and how many marks of tags each has: of their own tags,
-- and of those of other projects that they borrow.
SELECT project_no, day, count(*)::INTEGER AS tags
FROM stale
JOIN (
  SELECT tag_no, project_no FROM tag
  UNION ALL
  SELECT unnest($lent_tags::INTEGER[]), unnest($borrowers::INTEGER[])
) USING (tag_no)
WHERE day BETWEEN $from_day AND $to_day
  AND project_no IN (SELECT unnest($project_nos::INTEGER[]))
GROUP BY project_no, day
ORDER BY project_no, day
