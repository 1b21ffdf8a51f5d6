-- The quarter-hours of sensors in [$from, $to) that are due, and those of whole families. revalue:
-- the values are to be computed again; remodel: so is what is expected (also where nothing can
-- be). A half that is not is kept as it is stored.
CREATE OR REPLACE TEMP TABLE roll_unit AS
SELECT sensor_no, quarter, bool_or(revalue) AS revalue, bool_or(remodel) AS remodel
FROM (
  SELECT s.sensor_no, u.quarter, NOT u.remodel AS revalue,
    u.remodel OR (s.family IS NULL AND s.model_tag_no IS NULL) AS remodel
  FROM roll_due_unit AS u
  JOIN roll_sensor AS s ON s.sensor_no = u.sensor_no
  WHERE u.quarter >= $from AND u.quarter < $to
  UNION ALL
  SELECT kin.sensor_no, u.quarter, false, true
  FROM roll_due_unit AS u
  JOIN roll_sensor AS kin ON kin.family = u.sensor_no
  WHERE u.remodel AND u.quarter >= $from AND u.quarter < $to
)
GROUP BY sensor_no, quarter;
