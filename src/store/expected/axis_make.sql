-- The minutes of light whose expected power is computed, by pool: those before $over_minute.
CREATE OR REPLACE TEMP TABLE roll_axis AS
SELECT pool_no, (quarter * 15 + i)::INTEGER AS minute
FROM (
  SELECT DISTINCT p.pool_no, u.quarter, u.light
  FROM roll_unit AS u
  JOIN roll_point AS p USING (sensor_no)
  WHERE u.remodel
)
CROSS JOIN (SELECT unnest(range(15))::INTEGER AS i)
WHERE (light >> i) & 1 = 1 AND quarter * 15 + i < $over_minute;
