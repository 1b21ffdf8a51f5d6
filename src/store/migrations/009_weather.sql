-- Another site's weather sensors that stand in where a site's own tell nothing: all of a site, or
-- those of one tag.
CREATE TABLE fallback (id VARCHAR, site_no INTEGER, from_site_no INTEGER, tag_no INTEGER);

-- Sent expected values are scaled as samples are, and light between samples is on a line: models of
-- sites that are sent any, and of days with irradiance, are worked out anew.
INSERT INTO stale
SELECT s.tag_no, q.quarter // 96
FROM quarter AS q
JOIN sensor AS s USING (sensor_no)
WHERE s.project_no IN (SELECT project_no FROM tag WHERE lane = 'model')
  OR s.measure IN ('poa_front', 'ghi', 'dni', 'dhi')
EXCEPT
SELECT tag_no, day FROM stale;
