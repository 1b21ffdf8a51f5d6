-- Where touched quarter-hours of an irradiance that models depend on begin: the minute, and how its
-- values are read.
CREATE OR REPLACE TEMP TABLE roll_edge AS
SELECT row_number() OVER ()::INTEGER AS edge_no, t.tag_no, t.quarter * 15 AS minute, k.carry,
  w.scale, w."offset"
FROM (
  SELECT tag_no, quarter
  FROM roll_touch
  QUALIFY coalesce(
    lag(quarter) OVER (PARTITION BY tag_no ORDER BY quarter) < quarter - 1, true
  )
) AS t
JOIN roll_tag AS k ON k.tag_no = t.tag_no
JOIN (SELECT DISTINCT tag_no, scale, "offset" FROM roll_weather WHERE is_light) AS w
  ON w.tag_no = t.tag_no
WHERE t.tag_no IN (SELECT tag_no FROM roll_feed);
