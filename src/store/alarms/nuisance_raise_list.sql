-- When alarms came up at each site in the window before its newest, late ones left out; whether a
-- flood counts each: not one that came up again, nor one that the service kept out of the queue.
WITH came AS (
  SELECT site_no, occurrence_no, raised_at AS at_us, true AS is_new
  FROM occurrence
  WHERE NOT is_late AND raised_at <= $latest_us::BIGINT
  UNION ALL
  SELECT site_no, occurrence_no, created_at AS at_us, false AS is_new
  FROM occurrence_event
  WHERE type = 'reraised' AND created_at <= $latest_us::BIGINT
),
newest AS (SELECT site_no, max(at_us) AS newest_us FROM came GROUP BY site_no),
recent AS (
  SELECT site_no, occurrence_no, at_us, is_new
  FROM came
  JOIN newest USING (site_no)
  WHERE at_us > newest_us - $window_us::BIGINT
),
kept_out AS (
  SELECT occurrence_no
  FROM occurrence_event
  SEMI JOIN recent USING (occurrence_no)
  WHERE type = 'shelved' AND kind = 'system'
)
SELECT
  r.site_no, r.occurrence_no, r.at_us, o.rule_no, o.rule_name, o.source_tag,
  r.is_new AND NOT (o.origin = 'rule' AND r.occurrence_no IN (SELECT occurrence_no FROM kept_out))
    AS counts
FROM recent AS r
JOIN occurrence AS o USING (occurrence_no)
WHERE o.gateway IS NULL
ORDER BY r.site_no, r.at_us, r.occurrence_no;
