-- Expected values under the least active setpoint, where one reaches a power that has a model, and
-- those of the energy beside it. Active: below rated power, finite, and young enough to be held.
CREATE OR REPLACE TEMP TABLE roll_curb AS
WITH power AS (
  SELECT m.sensor_no, m.minute, m.model, s.family, s.component
  FROM roll_model AS m
  JOIN roll_sensor AS s USING (sensor_no)
  WHERE s.measure = 'active_power'
),
plant AS (
  SELECT family, minute, sum(model) AS model
  FROM power
  WHERE component = 'inverter'
  GROUP BY family, minute
),
active AS (
  SELECT r.target_no AS sensor_no, h.minute, h.value * r.factor AS setpoint
  FROM roll_held AS h
  JOIN roll_source AS r ON r.source_no = h.sensor_no AND NOT r.shared
  WHERE r.rated IS NULL OR h.value * r.factor < r.rated
  UNION ALL
  SELECT p.sensor_no, p.minute, h.value * p.model / plant.model
  FROM power AS p
  JOIN roll_source AS r ON r.target_no = p.sensor_no AND r.shared
  JOIN roll_held AS h ON h.sensor_no = r.source_no AND h.minute = p.minute
  JOIN plant ON plant.family = p.family AND plant.minute = p.minute
  WHERE plant.model > 0 AND (r.rated IS NULL OR h.value < r.rated)
),
curbed AS (
  SELECT p.sensor_no, p.minute, p.model, least(p.model, min(a.setpoint)) AS model_setpoint
  FROM power AS p
  JOIN active AS a USING (sensor_no, minute)
  GROUP BY p.sensor_no, p.minute, p.model
)
SELECT sensor_no, minute, model_setpoint
FROM curbed
UNION ALL
SELECT s.sensor_no, c.minute, m.model - (c.model - c.model_setpoint) / 60
FROM curbed AS c
JOIN roll_sensor AS s ON s.rate_no = c.sensor_no
JOIN roll_model AS m ON m.sensor_no = s.sensor_no AND m.minute = c.minute;
