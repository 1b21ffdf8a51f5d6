-- The tags that a family's expected values and setpoints depend on beside its sensors' own models:
-- the weather, the power of storage, and the powers that can contradict a setpoint.
CREATE OR REPLACE TEMP TABLE roll_feed AS
SELECT w.tag_no, s.family
FROM roll_weather AS w
SEMI JOIN roll_cell AS c ON c.pool_no = w.pool_no
JOIN roll_point AS p ON p.pool_no = w.pool_no
JOIN roll_sensor AS s ON s.sensor_no = p.sensor_no
WHERE s.family IS NOT NULL
UNION
SELECT b.tag_no, s.family
FROM roll_storage AS b
JOIN roll_point AS p USING (node_no)
JOIN roll_sensor AS s USING (sensor_no)
UNION
SELECT w.tag_no, r.family
FROM roll_witness AS w
JOIN roll_source AS r USING (rule_no);
