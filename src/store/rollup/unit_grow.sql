-- Adds the quarter-hours beside those to be computed that a counter's differences join with them:
-- whether a difference can be matched depends on what is expected in all its minutes.
INSERT INTO roll_unit BY NAME
SELECT DISTINCT r.sensor_no, r.minute // 15 AS quarter, false AS revalue, false AS remodel
FROM reading AS r
JOIN (
  SELECT DISTINCT u.sensor_no, u.quarter + beside.step AS quarter
  FROM roll_unit AS u
  JOIN roll_sensor AS s ON s.sensor_no = u.sensor_no AND s.how = 'counter'
  CROSS JOIN (SELECT unnest([-4, -3, -2, -1, 1, 2, 3, 4]) AS step) AS beside
  WHERE s.family IS NOT NULL OR s.model_tag_no IS NOT NULL
) AS b ON b.sensor_no = r.sensor_no AND b.quarter = r.minute // 15
ANTI JOIN roll_unit AS u ON u.sensor_no = b.sensor_no AND u.quarter = b.quarter
WHERE r.minute >= ($from::INTEGER - 4) * 15 AND r.minute < ($to::INTEGER + 4) * 15
  AND r.span_before + r.span_after BETWEEN 1 AND $spread::INTEGER
  AND (
    (r.minute - r.span_before) // 15 < r.minute // 15
    OR (r.minute + r.span_after) // 15 > r.minute // 15
  );
