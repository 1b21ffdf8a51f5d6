-- Marks every day (UTC) of some tags that has samples, or quarter-hours of their sensors.
INSERT INTO stale
SELECT tag_no, (ts // 86400000000)::INTEGER AS day
FROM sample
WHERE tag_no IN (SELECT unnest($tag_nos))
UNION
SELECT s.tag_no, q.quarter // 96
FROM quarter AS q
JOIN sensor AS s USING (sensor_no)
WHERE s.tag_no IN (SELECT unnest($tag_nos));
