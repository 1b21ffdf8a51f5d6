-- The tags that a family's expected values and setpoints hang on beside its sensors' own models:
-- the weather, and the powers that can contradict a setpoint.
CREATE OR REPLACE TEMP TABLE roll_feed AS
WITH family AS (
  SELECT family, bool_or(is_plant_setpoint) AS has_plant_setpoint
  FROM roll_sensor
  WHERE family IS NOT NULL
  GROUP BY family
)
SELECT w.tag_no, s.family
FROM roll_weather AS w
SEMI JOIN roll_kind AS k ON k.pool_no = w.pool_no
JOIN roll_point AS p ON p.pool_no = w.pool_no
JOIN roll_sensor AS s ON s.sensor_no = p.sensor_no
WHERE s.family IS NOT NULL
UNION
SELECT p.tag_no, p.family
FROM roll_sensor AS p
JOIN family AS f ON f.family = p.family
LEFT JOIN roll_sensor AS own
  ON own.family = p.family AND own.unit = p.unit AND own.is_setpoint
WHERE p.measure = 'active_power'
  AND (own.family IS NOT NULL OR (p.component = 'meter' AND f.has_plant_setpoint));
