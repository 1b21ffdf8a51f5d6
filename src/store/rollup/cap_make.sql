-- What the powers under active setpoints are expected to be, in W, and as most under their own.
CREATE OR REPLACE TEMP TABLE roll_cap AS
WITH own AS (
  SELECT target_no AS sensor_no, minute, min(setpoint) AS setpoint
  FROM roll_active
  WHERE target_no IS NOT NULL
  GROUP BY target_no, minute
)
SELECT m.sensor_no, m.minute, p.family, p.component, p.watts, m.model * p.watts AS model,
  m.storage * p.watts AS storage, least(m.model * p.watts, own.setpoint) AS most
FROM roll_model AS m
JOIN roll_power AS p USING (sensor_no)
SEMI JOIN roll_active AS l ON l.family = p.family AND l.minute = m.minute
LEFT JOIN own USING (sensor_no, minute);
