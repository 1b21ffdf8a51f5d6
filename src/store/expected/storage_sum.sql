-- Adds what is expected where storage is below: what is generated there, in the dark and without
-- inverters nothing, and the net power of all its storage, measured or carried. A register that
-- counts one way stands still the other way.
INSERT INTO roll_model
WITH stored AS MATERIALIZED (
  SELECT b.node_no, m.minute, sum(b.factor * (m.mean * b.scale + b."offset")) AS power
  FROM roll_minute AS m
  JOIN roll_storage AS b USING (tag_no)
  WHERE m.mean IS NOT NULL
  GROUP BY b.node_no, m.minute
  HAVING count(*) = any_value(b.parts)
),
net AS (
  SELECT p.sensor_no, s.minute, n.one_way, s.power * p.factor AS storage,
    y.clipped * p.factor AS clipped,
    CASE
      WHEN (u.light >> (s.minute % 15)) & 1 = 1 AND p.node_no IN (SELECT node_no FROM roll_share)
      THEN y.model
      ELSE coalesce(y.model, 0)
    END * p.factor AS generated
  FROM stored AS s
  JOIN roll_point AS p USING (node_no)
  JOIN roll_sensor AS n ON n.sensor_no = p.sensor_no
  JOIN roll_unit AS u ON u.sensor_no = p.sensor_no AND u.quarter = s.minute // 15 AND u.remodel
  LEFT JOIN roll_yield AS y ON y.node_no = s.node_no AND y.minute = s.minute
)
SELECT sensor_no, minute,
  if(one_way, greatest(generated + storage, 0), generated + storage) AS model, clipped,
  if(one_way, greatest(storage, -generated), storage) AS storage
FROM net
ANTI JOIN roll_sent USING (sensor_no, minute)
WHERE generated IS NOT NULL;
