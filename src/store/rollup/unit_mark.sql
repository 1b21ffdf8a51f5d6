-- Gives the quarter-hours of sensors their local day and their daylight minutes, and how their
-- values come from the minutes of their tag, where they do. fresh: nothing of it is stored. simple:
-- its readings are what its samples come to, with nothing beside them.
CREATE OR REPLACE TEMP TABLE roll_unit AS
SELECT u.sensor_no, u.quarter, u.revalue, u.remodel, s.computed, d.day, d.light,
  if(s.how = 'plain', s.tag_no, NULL) AS plain_tag_no, s.over_time, s.scale, s."offset",
  o.sensor_no IS NULL AND NOT $looks_all::BOOLEAN AS fresh,
  u.revalue AND u.remodel AND s.how = 'plain' AND s.family IS NULL
    AND s.model_tag_no IS NULL AS simple
FROM roll_unit AS u
JOIN roll_sensor AS s ON s.sensor_no = u.sensor_no
JOIN roll_day AS d
  ON d.project_no = s.project_no AND d.site_no = s.site_no AND d.quarter = u.quarter
LEFT JOIN (
  SELECT sensor_no, minute // 15 AS quarter
  FROM reading
  WHERE minute BETWEEN $from_minute::INTEGER AND $to_minute::INTEGER
  UNION
  SELECT sensor_no, quarter
  FROM quarter
  SEMI JOIN roll_unit USING (sensor_no, quarter)
  WHERE quarter BETWEEN $from_minute::INTEGER // 15 AND $to_minute::INTEGER // 15
) AS o ON o.sensor_no = u.sensor_no AND o.quarter = u.quarter;
