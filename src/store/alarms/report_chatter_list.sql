-- The alarms (a rule on a tag) of each site that came up a third time within the window, by how
-- often; beside each how many of them its site has, and how many such raises.
WITH marked AS (
  SELECT
    site_no, alarm_hash, rule_name, source_tag, raised_at,
    is_chattering OR coalesce(
      raised_at - lag(raised_at, 2) OVER (
        PARTITION BY site_no, alarm_hash ORDER BY raised_at
      ) < $window_us::BIGINT,
      false
    ) AS is_repeat
  FROM report_alarm
  WHERE NOT is_late AND NOT is_inhibited
),
chattering AS (
  SELECT
    site_no, any_value(rule_name) AS rule_name, any_value(source_tag) AS source_tag,
    count(*)::INTEGER AS alarms,
    (count(*) FILTER (is_repeat))::INTEGER AS repeats,
    min(raised_at) AS first_at, max(raised_at) AS last_at
  FROM marked
  GROUP BY site_no, alarm_hash
  HAVING bool_or(is_repeat)
)
SELECT
  site_no, rule_name, source_tag, alarms, repeats, first_at, last_at,
  (count(*) OVER (PARTITION BY site_no))::INTEGER AS site_count,
  (sum(repeats) OVER (PARTITION BY site_no))::INTEGER AS site_repeats
FROM chattering
QUALIFY row_number() OVER (
  PARTITION BY site_no ORDER BY repeats DESC, rule_name, source_tag
) <= $most::INTEGER
ORDER BY site_no, repeats DESC, rule_name, source_tag;
