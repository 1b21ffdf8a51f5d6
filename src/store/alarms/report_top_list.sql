-- The alarms (a rule on a tag) that were annunciated most often at each site.
SELECT
  site_no, any_value(rule_name) AS rule_name, any_value(source_tag) AS source_tag,
  count(*)::INTEGER AS alarms
FROM report_alarm
WHERE NOT is_late AND NOT is_inhibited
GROUP BY site_no, alarm_hash
QUALIFY row_number() OVER (
  PARTITION BY site_no ORDER BY alarms DESC, any_value(rule_name), any_value(source_tag)
) <= $most::INTEGER
ORDER BY site_no, alarms DESC, rule_name, source_tag;
