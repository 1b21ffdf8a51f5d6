-- Every site's place and zone, and as site 0 every project's zone.
SELECT p.project_no, s.site_no, s.latitude, s.longitude, p.timezone
FROM site AS s
JOIN project AS p USING (project_no)
UNION ALL
SELECT project_no, 0, NULL, NULL, timezone
FROM project
ORDER BY project_no, site_no;
