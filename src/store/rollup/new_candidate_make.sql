-- What may be new whole quarter-hours, with their local days, as `candidate_make.sql` has others,
-- in the order of storing. Without a sensor there is no site: a condition that says so would keep
-- the join from being hashed.
CREATE OR REPLACE TEMP TABLE roll_candidate AS
SELECT (row_number() OVER () - 1)::INTEGER AS place, *
FROM (
  SELECT d.day, n.tag_no, n.quarter, false AS is_marked, n.sensor_no, s.day AS sensor_day, n.scale,
    n."offset", s.light, n.carry
  FROM roll_new_whole AS n
  JOIN roll_day AS d ON d.project_no = n.project_no AND d.site_no = 0 AND d.quarter = n.quarter
  LEFT JOIN roll_day AS s
    ON s.project_no = n.project_no AND s.site_no = n.site_no AND s.quarter = n.quarter
  WHERE n.sensor_no IS NULL OR s.day IS NOT NULL
  ORDER BY d.day, n.tag_no, n.quarter
);
