-- Makes what is due distinct: a family is one row, under its lowest sensor. Where expected values
-- are both sent and worked out, dark minutes need both halves.
CREATE OR REPLACE TEMP TABLE roll_due_unit AS
SELECT DISTINCT if(part.remodel, coalesce(s.family, s.sensor_no), s.sensor_no) AS sensor_no,
  u.quarter, part.remodel
FROM roll_due_unit AS u
JOIN roll_sensor AS s ON s.sensor_no = u.sensor_no
JOIN (VALUES (false), (true)) AS part (remodel)
  ON part.remodel = u.remodel OR (part.remodel AND s.mixed);
