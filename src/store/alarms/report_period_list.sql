-- How many alarms were annunciated at each site in its fullest period, the first of equal ones, and
-- in each other that a flood may hold.
SELECT site_no, (raised_at // $period_us::BIGINT)::INTEGER AS period, count(*)::INTEGER AS alarms
FROM report_alarm
WHERE NOT is_late AND NOT is_inhibited
GROUP BY site_no, period
QUALIFY alarms >= $least::INTEGER
  OR row_number() OVER (PARTITION BY site_no ORDER BY alarms DESC, period) = 1
ORDER BY site_no, period;
