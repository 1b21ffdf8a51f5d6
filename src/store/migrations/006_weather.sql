-- Sent expected values are scaled as samples are, and light between samples is on a line: models of
-- sites that are sent any, and of days with irradiance, are worked out anew.
INSERT INTO stale
SELECT DISTINCT s.tag_no, q.quarter // 96
FROM quarter AS q
JOIN sensor AS s USING (sensor_no)
WHERE s.project_no IN (SELECT project_no FROM tag WHERE lane = 'model')
  OR s.measure IN ('poa_front', 'ghi', 'dni', 'dhi');
