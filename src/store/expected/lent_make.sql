-- Sensors' minutes whose expected value stands on lent weather: that of inverters of which any cell
-- has it, of whatever sums them, and of amounts beside such rates; sent values do not.
INSERT INTO roll_lent
WITH RECURSIVE standing AS (
  SELECT k.node_no, s.minute
  FROM roll_sky AS s
  JOIN roll_cell AS c USING (area_no)
  JOIN roll_kind AS k USING (cell_no)
  SEMI JOIN roll_warm AS w ON w.cell_no = c.cell_no AND w.minute = s.minute
  ANTI JOIN (
    SELECT t.node_no, sent.minute FROM roll_sent AS sent JOIN roll_stated AS t USING (sensor_no)
  ) AS told ON told.node_no = k.node_no AND told.minute = s.minute
  WHERE s.is_lent
  UNION
  SELECT h.node_no, b.minute
  FROM standing AS b
  JOIN roll_share AS h ON h.part_no = b.node_no
),
pointed AS (
  SELECT p.sensor_no, b.minute
  FROM standing AS b
  JOIN roll_point AS p USING (node_no)
  ANTI JOIN roll_sent AS sent ON sent.sensor_no = p.sensor_no AND sent.minute = b.minute
)
SELECT sensor_no, minute
FROM (
  FROM pointed
  UNION
  SELECT s.sensor_no, p.minute
  FROM pointed AS p
  JOIN roll_sensor AS s ON s.rate_no = p.sensor_no
)
SEMI JOIN roll_model USING (sensor_no, minute)
ANTI JOIN roll_sent USING (sensor_no, minute);
