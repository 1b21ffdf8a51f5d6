-- What differs between whole quarter-hours as they are and as they are known; where none was known
-- that goes without saying. What was known a moment ago is unfolded: the next pass looks at it.
CREATE OR REPLACE TEMP TABLE roll_whole_change AS
WITH known AS (
  SELECT * EXCLUDE (received_at)
  FROM whole_quarter
  SEMI JOIN roll_slot USING (tag_no, quarter)
  WHERE quarter BETWEEN $from_minute::INTEGER // 15 AND $to_minute::INTEGER // 15
)
SELECT roll_op(o.day, f.day) AS op, coalesce(f.day, o.day) AS day, tag_no, quarter, f.upto,
  f.sensor_no, f.sensor_day, f.scale, f."offset", f.light, f.seen
FROM roll_whole AS f
FULL JOIN known AS o USING (tag_no, quarter)
WHERE NOT (o.tag_no IS NULL AND coalesce(f.is_marked, false))
  AND (o.day, o.upto, o.sensor_no, o.sensor_day, o.scale, o."offset", o.light, o.seen)
  IS DISTINCT FROM
  (f.day, f.upto, f.sensor_no, f.sensor_day, f.scale, f."offset", f.light, f.seen)
ORDER BY day, tag_no, quarter;
