-- The quarter-hours of sites (and of projects, as site 0) whose local day is asked for, also those
-- around them that the weather is judged by.
SELECT DISTINCT project_no, site_no, quarter
FROM (
  SELECT t.project_no, 0 AS site_no, q.quarter
  FROM roll_slot AS q
  JOIN roll_tag AS t USING (tag_no)
  UNION ALL
  SELECT s.project_no, s.site_no, u.quarter
  FROM roll_unit AS u
  JOIN roll_sensor AS s USING (sensor_no)
  UNION ALL
  SELECT w.project_no, w.site_no, unnest(
      range(q.quarter - t.reach, q.quarter + t.ahead + 1)
    )::INTEGER
  FROM roll_slot AS q
  JOIN roll_weather AS w USING (tag_no)
  JOIN roll_tag AS t USING (tag_no)
)
ORDER BY project_no, site_no, quarter;
