-- The oldest alarms of each site that stood at an instant; beside each how many its site had, and
-- how many of them were stale. What only an operator ends stands until then.
WITH active AS (
  SELECT
    occurrence_no, occurrence_id, site_no, rule_name, source_tag, severity, status, raised_at,
    resolution_policy, first_feed_no, last_feed_no
  FROM occurrence
  WHERE
    project_no = $project_no::INTEGER
    AND ($site_no::INTEGER IS NULL OR site_no = $site_no::INTEGER)
    AND raised_at < $at_us::BIGINT
    AND (cleared_at IS NULL OR cleared_at >= $at_us::BIGINT)
    AND NOT is_late
),
resolved AS (
  SELECT occurrence_no, max(created_at) AS resolved_at
  FROM occurrence_event
  WHERE
    project_no = $project_no::INTEGER
    AND type = 'resolved'
    AND feed_no >= (SELECT min(first_feed_no) FROM active)
    AND feed_no <= (SELECT max(last_feed_no) FROM active)
  GROUP BY occurrence_no
)
SELECT
  site_no, occurrence_no, occurrence_id, rule_name, source_tag, severity, status, raised_at,
  (count(*) OVER (PARTITION BY site_no))::INTEGER AS standing,
  (
    count(*) FILTER (raised_at < $at_us::BIGINT - $stale_us::BIGINT) OVER (PARTITION BY site_no)
  )::INTEGER AS stale
FROM active
LEFT JOIN resolved USING (occurrence_no)
WHERE NOT (
  resolution_policy = 'manual'
  AND status = 'resolved'
  AND coalesce(resolved_at < $at_us::BIGINT, true)
)
QUALIFY row_number() OVER (PARTITION BY site_no ORDER BY raised_at, occurrence_no) <= $most::INTEGER
ORDER BY site_no, raised_at, occurrence_no;
