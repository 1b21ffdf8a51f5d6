-- Expected values by sensor and minute: the sent one, else its node's where no storage is below.
CREATE OR REPLACE TEMP TABLE roll_model AS
SELECT sensor_no, minute, y.model * p.factor AS model, y.clipped * p.factor AS clipped,
  NULL::DOUBLE AS storage
FROM roll_yield AS y
JOIN (
  SELECT p.sensor_no, p.node_no, p.factor, u.quarter
  FROM roll_point AS p
  JOIN roll_unit AS u USING (sensor_no)
  WHERE u.remodel AND p.node_no NOT IN (SELECT node_no FROM roll_storage)
) AS p USING (node_no, quarter)
ANTI JOIN roll_sent USING (sensor_no, minute)
UNION ALL
SELECT sensor_no, minute, model, NULL, NULL
FROM roll_sent;
