-- Touched quarter-hours of which nothing is stored yet, and whose minutes nobody looks at but by
-- entry and by reading (`candidate_make.sql` says so of others): they may be whole.
CREATE OR REPLACE TEMP TABLE roll_new_whole AS
SELECT t.tag_no, t.quarter, t.project_no, t.carry, s.sensor_no, s.site_no, s.scale, s."offset"
FROM (
  SELECT DISTINCT tag_no, quarter, g.project_no, g.carry
  FROM roll_touch
  JOIN roll_tag AS g USING (tag_no)
  WHERE g.alone AND quarter BETWEEN $from_quarter::INTEGER AND $to_quarter::INTEGER
) AS t
LEFT JOIN roll_sensor AS s USING (tag_no)
ANTI JOIN (
  SELECT tag_no, minute // 15 AS quarter
  FROM minute
  WHERE minute BETWEEN $from_quarter::INTEGER * 15 AND $to_quarter::INTEGER * 15 + 14
) AS m ON m.tag_no = t.tag_no AND m.quarter = t.quarter
ANTI JOIN (
  SELECT tag_no, quarter
  FROM whole_quarter
  WHERE quarter BETWEEN $from_quarter::INTEGER AND $to_quarter::INTEGER
) AS w ON w.tag_no = t.tag_no AND w.quarter = t.quarter
ANTI JOIN (
  SELECT sensor_no, minute // 15 AS quarter
  FROM reading
  WHERE minute BETWEEN $from_quarter::INTEGER * 15 AND $to_quarter::INTEGER * 15 + 14
) AS r ON r.sensor_no = s.sensor_no AND r.quarter = t.quarter
ANTI JOIN (
  SELECT sensor_no, quarter
  FROM quarter
  WHERE quarter BETWEEN $from_quarter::INTEGER AND $to_quarter::INTEGER
) AS q ON q.sensor_no = s.sensor_no AND q.quarter = t.quarter;
