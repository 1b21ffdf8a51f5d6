-- Gives the quarter-hours of sensors their local day and their daylight minutes.
CREATE OR REPLACE TEMP TABLE roll_unit AS
SELECT u.sensor_no, u.quarter, u.revalue, u.remodel, s.computed, d.day, d.light
FROM roll_unit AS u
JOIN roll_sensor AS s ON s.sensor_no = u.sensor_no
JOIN roll_day AS d
  ON d.project_no = s.project_no AND d.site_no = s.site_no AND d.quarter = u.quarter;
