-- How many alarms were annunciated at each site of each severity, and of each class.
SELECT
  site_no,
  grouping(alarm_class) = 1 AS of_severity,
  CASE WHEN grouping(alarm_class) = 1 THEN severity ELSE alarm_class END AS word,
  count(*)::INTEGER AS alarms
FROM report_alarm
WHERE NOT is_late AND NOT is_inhibited
GROUP BY GROUPING SETS ((site_no, severity), (site_no, alarm_class))
ORDER BY site_no, of_severity, alarms DESC, word;
