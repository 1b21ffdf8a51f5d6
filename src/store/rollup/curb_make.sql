-- Expected values under the active setpoints, where they are less than without: of powers, and of
-- the energies beside them by the same share, so that nothing stays nothing. Inverters share their
-- plant's setpoint in proportion to their models; what stands above inverters has its own, its
-- parts under theirs, and its parts' share.
CREATE OR REPLACE TEMP TABLE roll_curb AS
WITH active AS MATERIALIZED (
  SELECT r.target_no, r.family, a.minute, min(a.setpoint) AS setpoint
  FROM roll_active AS a
  JOIN roll_source AS r USING (rule_no)
  GROUP BY r.target_no, r.family, a.minute
),
power AS MATERIALIZED (
  SELECT m.sensor_no, m.minute, m.model * p.watts AS model, p.watts, p.family, p.component,
    p.counts
  FROM roll_model AS m
  JOIN roll_power AS p USING (sensor_no)
  SEMI JOIN active ON active.family = p.family AND active.minute = m.minute
),
plant AS MATERIALIZED (
  SELECT a.family, a.minute, a.setpoint,
    nullif(sum(p.model) FILTER (p.component = 'inverter' AND p.counts), 0) AS model
  FROM active AS a
  JOIN power AS p USING (family, minute)
  WHERE a.target_no IS NULL
  GROUP BY a.family, a.minute, a.setpoint
),
own AS MATERIALIZED (
  SELECT target_no AS sensor_no, minute, setpoint
  FROM active
  WHERE target_no IS NOT NULL
),
part AS (
  SELECT sensor_no, part_no, factor, count(*) OVER (PARTITION BY sensor_no) AS parts
  FROM roll_below
),
above AS MATERIALIZED (
  SELECT b.sensor_no, p.minute, sum(p.model) AS model, sum(b.factor * p.model) AS passed,
    sum(b.factor * least(p.model, own.setpoint)) AS setpoint,
    bool_or(own.setpoint < p.model) AS is_curbed
  FROM part AS b
  JOIN power AS p ON p.sensor_no = b.part_no
  LEFT JOIN own ON own.sensor_no = p.sensor_no AND own.minute = p.minute
  GROUP BY b.sensor_no, p.minute
  HAVING count(*) = any_value(b.parts)
),
curbed AS MATERIALIZED (
  SELECT p.sensor_no, p.minute, p.watts, p.model,
    least(
      own.setpoint,
      -- What is over the sum comes from inverters whose power nothing tells.
      if(
        a.is_curbed,
        a.setpoint + if(p.model > a.passed * (1 + 1e-9), p.model - a.passed, 0),
        NULL
      ),
      plant.setpoint * CASE
        WHEN p.component = 'inverter' THEN p.model / plant.model
        WHEN p.component IN ('system', 'meter') THEN coalesce(a.model / plant.model, 1)
        ELSE a.model / plant.model
      END
    ) AS model_setpoint
  FROM power AS p
  LEFT JOIN own USING (sensor_no, minute)
  LEFT JOIN above AS a USING (sensor_no, minute)
  LEFT JOIN plant ON plant.family = p.family AND plant.minute = p.minute
  WHERE model_setpoint < p.model
)
SELECT sensor_no, minute, model_setpoint / watts AS model_setpoint
FROM curbed
UNION ALL
SELECT s.sensor_no, c.minute, m.model * (c.model_setpoint / c.model)
FROM curbed AS c
JOIN roll_sensor AS s ON s.rate_no = c.sensor_no
JOIN roll_model AS m ON m.sensor_no = s.sensor_no AND m.minute = c.minute;
