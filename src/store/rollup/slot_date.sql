-- Gives the quarter-hours of tags their local day.
CREATE OR REPLACE TEMP TABLE roll_slot AS
SELECT q.tag_no, q.quarter, d.day
FROM roll_slot AS q
JOIN roll_tag AS t ON t.tag_no = q.tag_no
JOIN roll_day AS d ON d.project_no = t.project_no AND d.site_no = 0 AND d.quarter = q.quarter;
