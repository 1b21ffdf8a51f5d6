-- The readings of the quarter-hours to be worked out. A carried minute has no measured value.
CREATE OR REPLACE TEMP TABLE roll_reading AS
WITH measured AS (
  SELECT s.sensor_no, m.minute,
    CASE s.over_time
      WHEN 'last' THEN m.last
      WHEN 'max' THEN if(s.scale < 0, m.minimum, m.maximum)
      WHEN 'min' THEN if(s.scale < 0, m.maximum, m.minimum)
      ELSE m.mean
    END * s.scale + s."offset" AS value
  FROM roll_minute AS m
  JOIN roll_sensor AS s ON s.tag_no = m.tag_no AND s.how = 'plain'
  WHERE NOT m.carried
  UNION ALL
  SELECT sensor_no, minute, value
  FROM roll_amount
),
joined AS (
  SELECT sensor_no, minute, value, model, coalesce(model_setpoint, model) AS model_setpoint
  FROM (SELECT sensor_no, minute, value FROM measured WHERE isfinite(value))
  FULL JOIN roll_model USING (sensor_no, minute)
  LEFT JOIN roll_curb USING (sensor_no, minute)
)
SELECT u.day, j.sensor_no, j.minute, (u.light >> (j.minute % 15)) & 1 = 1 AS light, j.value,
  j.model, j.value + coalesce(j.model - j.model_setpoint, 0) AS value_setpoint, j.model_setpoint
FROM joined AS j
JOIN roll_unit AS u ON u.sensor_no = j.sensor_no AND u.quarter = j.minute // 15;
