-- The local days of the quarter-hours to be worked out.
CREATE OR REPLACE TEMP TABLE roll_span AS
SELECT DISTINCT u.sensor_no, d.day
FROM roll_unit AS u
JOIN roll_sensor AS s USING (sensor_no)
JOIN roll_day AS d
  ON d.project_no = s.project_no AND d.site_no = s.site_no AND d.quarter = u.quarter;
