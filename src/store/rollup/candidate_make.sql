-- Quarter-hours of tags that may be whole: no minute of one is stored, and nothing but simple
-- readings is made of them. From `$end_quarter` on, in the running day, only those that are known:
-- what else there is of it is stored minute by minute, for it is read most, and put in order last.
CREATE OR REPLACE TEMP TABLE roll_candidate AS
SELECT (row_number() OVER () - 1)::INTEGER AS place, q.day, q.tag_no, q.quarter, q.is_marked,
  u.sensor_no, u.day AS sensor_day, u.scale, u."offset", u.light, t.carry
FROM roll_slot AS q
JOIN (FROM roll_tag WHERE alone) AS t ON t.tag_no = q.tag_no
LEFT JOIN roll_sensor AS r ON r.tag_no = q.tag_no
LEFT JOIN (FROM roll_unit WHERE simple) AS u
  ON u.sensor_no = r.sensor_no AND u.quarter = q.quarter
WHERE (q.is_marked OR q.fresh AND q.quarter < $end_quarter::INTEGER)
  AND (r.sensor_no IS NULL OR u.sensor_no IS NOT NULL);
