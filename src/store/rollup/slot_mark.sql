-- Gives the quarter-hours of tags their local day. fresh: no minute of it is stored; is_marked: and
-- it is known as a whole one.
CREATE OR REPLACE TEMP TABLE roll_slot AS
SELECT q.tag_no, q.quarter, d.day, o.tag_no IS NULL AND NOT $looks_all::BOOLEAN AS fresh,
  w.tag_no IS NOT NULL AS is_marked
FROM roll_slot AS q
JOIN roll_tag AS t ON t.tag_no = q.tag_no
JOIN roll_day AS d ON d.project_no = t.project_no AND d.site_no = 0 AND d.quarter = q.quarter
LEFT JOIN (
  SELECT DISTINCT tag_no, minute // 15 AS quarter
  FROM minute
  WHERE minute BETWEEN $from_minute::INTEGER AND $to_minute::INTEGER
) AS o ON o.tag_no = q.tag_no AND o.quarter = q.quarter
LEFT JOIN (
  SELECT tag_no, quarter
  FROM whole_quarter
  WHERE quarter BETWEEN $from_minute::INTEGER // 15 AND $to_minute::INTEGER // 15
) AS w ON w.tag_no = q.tag_no AND w.quarter = q.quarter;
