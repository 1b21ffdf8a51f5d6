-- Issues and work orders of a project with several changes that are old, or with very many. What
-- made them must be there: nothing follows from the others alone.
SELECT owner_id
FROM work_change
WHERE project_no = $project_no::INTEGER AND kind <> 'photo'
GROUP BY owner_id
HAVING
  count(*) > 1 AND count(*) FILTER (id = owner_id) > 0
  AND (
    count(*) > $most::INTEGER
    OR count(*) FILTER (id <> owner_id AND stored_at < $before_us::BIGINT) > 0
  )
ORDER BY owner_id
LIMIT $limit::BIGINT
