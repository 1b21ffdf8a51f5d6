-- Makes the quarter-hours of sensors distinct and adds the same ones of all sensors of a family.
CREATE OR REPLACE TEMP TABLE roll_unit AS
SELECT sensor_no, quarter
FROM roll_unit
UNION
SELECT kin.sensor_no, u.quarter
FROM roll_unit AS u
JOIN roll_sensor AS s ON s.sensor_no = u.sensor_no
JOIN roll_sensor AS kin ON kin.family = s.family;
