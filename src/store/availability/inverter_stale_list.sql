-- The marked days of sites, and how often each was marked.
SELECT site_no, day, count(*)::INTEGER AS marks
FROM inverter_stale
GROUP BY site_no, day
ORDER BY site_no, day;
