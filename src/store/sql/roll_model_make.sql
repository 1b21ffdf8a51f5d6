-- Expected values by sensor and minute: the model tag's minutes (carried ones too), an increment's
-- own amounts, and for energy without a model of its own the integral of its power's model.
CREATE OR REPLACE TEMP TABLE roll_model AS
WITH stated AS (
  SELECT u.sensor_no, m.minute, m.mean AS model
  FROM roll_minute AS m
  JOIN roll_sensor AS s ON s.model_tag_no = m.tag_no
  JOIN roll_unit AS u ON u.sensor_no = s.sensor_no AND u.quarter = m.minute // 15
  WHERE s.over_time <> 'increment' AND m.mean IS NOT NULL
)
SELECT sensor_no, minute, model
FROM stated
UNION ALL
SELECT sensor_no, minute, value
FROM roll_expected
UNION ALL
SELECT s.sensor_no, p.minute, p.model / 60
FROM stated AS p
JOIN roll_sensor AS s ON s.power_no = p.sensor_no
JOIN roll_unit AS u ON u.sensor_no = s.sensor_no AND u.quarter = p.minute // 15
WHERE s.model_tag_no IS NULL;
