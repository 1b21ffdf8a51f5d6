-- The powers whose measured sum tells whether a setpoint is followed: its target; of a plant its
-- meters, each inverter counted once, or else, and for a part of a plant, the power of the
-- setpoint's own unit.
CREATE OR REPLACE TEMP TABLE roll_witness AS
WITH meter AS (
  SELECT s.family, s.sensor_no, list(b.part_no) AS parts
  FROM roll_sensor AS s
  LEFT JOIN roll_below AS b USING (sensor_no)
  WHERE s.component = 'meter' AND s.measure = 'active_power'
  GROUP BY s.family, s.sensor_no
),
outermost AS (
  -- A meter below another, or one that checks another, counts no inverter of its own.
  SELECT family, sensor_no
  FROM meter AS m
  WHERE NOT EXISTS (
    SELECT 1
    FROM meter AS other
    WHERE other.family = m.family AND list_has_all(other.parts, m.parts)
      AND (len(other.parts), -other.sensor_no) > (len(m.parts), -m.sensor_no)
  )
),
witness AS (
  SELECT rule_no, target_no AS sensor_no
  FROM roll_source
  WHERE target_no IS NOT NULL
  UNION ALL
  SELECT r.rule_no, m.sensor_no
  FROM roll_source AS r
  JOIN outermost AS m USING (family)
  WHERE r.target_no IS NULL AND r.is_whole
  UNION ALL
  SELECT r.rule_no, own.target_no
  FROM roll_source AS r
  JOIN roll_source AS own ON own.source_no = r.source_no AND own.target_no IS NOT NULL
  WHERE r.target_no IS NULL
    AND NOT (r.is_whole AND r.family IN (SELECT family FROM outermost))
)
SELECT w.rule_no, s.tag_no, s.scale, s."offset",
  count(*) OVER (PARTITION BY w.rule_no) AS witnesses
FROM witness AS w
JOIN roll_sensor AS s USING (sensor_no)
WHERE s.measure = 'active_power';
