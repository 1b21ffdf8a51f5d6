-- Adds the quarter-hours of tags that the readings to be computed are made of; what contradicts a
-- setpoint can come a few minutes later.
INSERT INTO roll_slot BY NAME
SELECT DISTINCT tag_no, quarter
FROM (
  SELECT s.tag_no, u.quarter
  FROM roll_unit AS u
  JOIN roll_sensor AS s USING (sensor_no)
  WHERE u.revalue AND s.how = 'plain'
  UNION ALL
  SELECT s.model_tag_no, u.quarter
  FROM roll_unit AS u
  JOIN roll_sensor AS s USING (sensor_no)
  WHERE u.remodel AND s.model_tag_no IS NOT NULL AND s.model_factor IS NOT NULL
  UNION ALL
  SELECT f.tag_no, u.quarter + f.later
  FROM (
    SELECT DISTINCT s.family, u.quarter
    FROM roll_unit AS u
    JOIN roll_sensor AS s USING (sensor_no)
    WHERE u.remodel AND s.family IS NOT NULL
  ) AS u
  JOIN (
    SELECT tag_no, family, 0 AS later FROM roll_feed
    UNION ALL
    SELECT tag_no, family, 1 FROM roll_feed SEMI JOIN roll_hindsight USING (tag_no, family)
  ) AS f ON f.family = u.family
)
ANTI JOIN roll_slot USING (tag_no, quarter);
