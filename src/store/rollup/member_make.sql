-- The powers of the inverters of each group; `counts` picks one of several in a unit.
CREATE OR REPLACE TEMP TABLE roll_member AS
SELECT DISTINCT g.group_no, g.level, p.sensor_no, p.counts
FROM (
  SELECT DISTINCT group_no, level, family, unnest(parts) AS part_no
  FROM roll_source
  WHERE target_no IS NULL
) AS g
JOIN roll_power AS part ON part.sensor_no = g.part_no
JOIN roll_power AS p
  ON p.family = part.family AND p.unit = part.unit AND p.component = 'inverter';
