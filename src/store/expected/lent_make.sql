-- Minutes in which the computed power of a sensor stands on lent weather, of any part of its site.
INSERT INTO roll_lent
SELECT p.sensor_no, k.minute
FROM (
  SELECT DISTINCT c.pool_no, s.minute
  FROM roll_sky AS s
  JOIN roll_cell AS c USING (area_no)
  JOIN roll_warm AS w ON w.cell_no = c.cell_no AND w.minute = s.minute
  WHERE s.is_lent
) AS k
JOIN (SELECT DISTINCT sensor_no, pool_no FROM roll_point) AS p USING (pool_no)
ANTI JOIN roll_sent USING (sensor_no, minute);
