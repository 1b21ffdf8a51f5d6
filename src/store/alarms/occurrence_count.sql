-- How many occurrences of a project that have not ended there are of each kind of state.
SELECT severity, status, cleared_at IS NULL AS active, count(*) AS count
FROM occurrence
WHERE
  project_no = $project_no::INTEGER
  AND ($site_no::INTEGER IS NULL OR site_no = $site_no::INTEGER)
  AND NOT CASE resolution_policy
    WHEN 'auto' THEN cleared_at IS NOT NULL
    WHEN 'manual' THEN status = 'resolved'
    ELSE status = 'resolved' AND cleared_at IS NOT NULL
  END
GROUP BY ALL
ORDER BY severity, status, active
