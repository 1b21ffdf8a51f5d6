-- Marks some days of a site.
INSERT INTO inverter_stale (site_no, day)
SELECT $site_no::INTEGER, unnest(range($from_day::INTEGER, $to_day::INTEGER + 1))::INTEGER AS day
ORDER BY day;
