-- The first whole quarter-hours of a day without gaps, in lots: of what measures the same, tag by
-- tag.
CREATE OR REPLACE TEMP TABLE whole_part AS
SELECT * EXCLUDE (measure), ntile($lots::BIGINT) OVER (ORDER BY measure, tag_no, quarter) AS lot
FROM (
  SELECT w.*, s.measure
  FROM whole_quarter AS w
  LEFT JOIN sensor AS s USING (sensor_no)
  WHERE w.seen IS NULL AND w.quarter >= $day::INTEGER * 96 AND w.quarter < ($day::INTEGER + 1) * 96
  ORDER BY s.measure, w.tag_no, w.quarter
  LIMIT $most
)
