-- How many alarms were annunciated at each site in each period that has any.
SELECT site_no, (raised_at // $period_us::BIGINT)::INTEGER AS period, count(*)::INTEGER AS alarms
FROM report_alarm
WHERE NOT is_late AND NOT is_inhibited
GROUP BY ALL
ORDER BY site_no, period;
