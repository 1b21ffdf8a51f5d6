-- The alarms of a project's sites that were raised in a range, with what happened to each.
-- alarm_hash
-- stands for the rule and the tag: grouping and sorting by it is three times as fast as by both.
CREATE OR REPLACE TEMP TABLE report_alarm AS
WITH raised AS (
  SELECT
    occurrence_no, site_no, origin, rule_name, source_tag, severity, alarm_class, raised_at,
    cleared_at, is_late, is_chattering, first_feed_no, last_feed_no
  FROM occurrence
  WHERE
    project_no = $project_no::INTEGER
    AND ($site_no::INTEGER IS NULL OR site_no = $site_no::INTEGER)
    AND raised_at >= $from_us::BIGINT
    AND raised_at < $to_us::BIGINT
),
done AS (
  SELECT
    occurrence_no,
    min(created_at) FILTER (type = 'claimed') AS claimed_at,
    bool_or(type = 'shelved') AS is_shelved
  FROM occurrence_event
  WHERE
    project_no = $project_no::INTEGER
    AND (type = 'claimed' OR (type = 'shelved' AND kind = 'system'))
    AND feed_no >= (SELECT min(first_feed_no) FROM raised)
    AND feed_no <= (SELECT max(last_feed_no) FROM raised)
  GROUP BY occurrence_no
)
SELECT
  site_no, hash(rule_name, source_tag) AS alarm_hash, rule_name, source_tag, severity, alarm_class,
  raised_at, cleared_at, claimed_at, is_chattering, is_late,
  origin = 'rule' AND coalesce(is_shelved, false) AS is_inhibited
FROM raised
LEFT JOIN done USING (occurrence_no);
