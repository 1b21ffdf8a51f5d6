-- Expected values under the active setpoints, where they are less than without: of powers, and of
-- the energies beside them by the same share, so that nothing stays nothing, or with storage, which
-- can bring the power to nothing, the power's integral. What stands above inverters gets what they
-- are limited to and its storage; a meter and the system at most the plant's setpoint.
CREATE OR REPLACE TEMP TABLE roll_curb AS
WITH part AS (
  SELECT sensor_no, part_no, factor, count(*) OVER (PARTITION BY sensor_no) AS parts
  FROM roll_below
),
above AS MATERIALIZED (
  SELECT b.sensor_no, c.minute, sum(b.factor * c.model) AS passed,
    sum(b.factor * c.most) AS limited
  FROM part AS b
  JOIN roll_cap AS c ON c.sensor_no = b.part_no
  GROUP BY b.sensor_no, c.minute
  HAVING count(*) = any_value(b.parts) AND bool_or(c.most < c.model)
),
plant AS (
  SELECT family, minute, min(setpoint) AS setpoint
  FROM roll_active
  WHERE is_whole
  GROUP BY family, minute
),
curbed AS MATERIALIZED (
  SELECT c.sensor_no, c.minute, c.watts, c.model, c.storage,
    c.model - coalesce(c.storage, 0) AS generated,
    least(
      c.most,
      -- What is over the sum comes from inverters whose power nothing tells.
      a.limited + if(generated > a.passed * (1 + 1e-9), generated - a.passed, 0)
        + coalesce(c.storage, 0),
      if(c.component IN ('system', 'meter'), plant.setpoint, NULL)
    ) AS model_setpoint
  FROM roll_cap AS c
  LEFT JOIN above AS a USING (sensor_no, minute)
  LEFT JOIN plant ON plant.family = c.family AND plant.minute = c.minute
  WHERE model_setpoint < c.model
)
SELECT sensor_no, minute, model_setpoint / watts AS model_setpoint
FROM curbed
UNION ALL
SELECT s.sensor_no, c.minute,
  CASE
    WHEN m.storage IS NULL THEN m.model * (c.model_setpoint / c.model)
    WHEN s.one_way THEN greatest(c.model_setpoint, 0) / 60
    ELSE c.model_setpoint / 60
  END
FROM curbed AS c
JOIN roll_sensor AS s ON s.rate_no = c.sensor_no
JOIN roll_model AS m ON m.sensor_no = s.sensor_no AND m.minute = c.minute;
