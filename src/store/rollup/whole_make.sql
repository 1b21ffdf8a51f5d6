-- Whole quarter-hours of tags: no minute of one is stored, each of its minutes has one sample and
-- is over, and nothing but simple readings is made of them. So they need no look at what is stored,
-- no groups and no values that are carried on; and what they come to is not stored (`whole.ts`).
-- From `$end_quarter` on, in the running day, only those that are known: what else there is of it
-- is stored minute by minute, for it is read most, and put in order last.
-- With the sums of their readings, which are those of a sensor's light or of its dark minutes where
-- all are the one or the other.
CREATE OR REPLACE TEMP TABLE roll_whole AS
WITH slot AS MATERIALIZED (
  SELECT q.day, q.tag_no, q.quarter, q.is_marked, u.sensor_no, u.day AS sensor_day, u.scale,
    u."offset", u.light
  FROM roll_slot AS q
  SEMI JOIN (FROM roll_tag WHERE alone) AS t ON t.tag_no = q.tag_no
  LEFT JOIN roll_sensor AS r ON r.tag_no = q.tag_no
  LEFT JOIN (FROM roll_unit WHERE simple) AS u
    ON u.sensor_no = r.sensor_no AND u.quarter = q.quarter
  WHERE (q.is_marked OR q.fresh AND q.quarter < $end_quarter::INTEGER)
    AND (r.sensor_no IS NULL OR u.sensor_no IS NOT NULL)
)
SELECT slot.*, s.* EXCLUDE (tag_no, quarter)
FROM (
  SELECT tag_no, quarter, max(received_at) AS upto, count(value)::INTEGER AS n,
    sum(value ORDER BY minute) AS value, min(value) AS minimum, max(value) AS maximum,
    arg_max(value, minute) AS last,
    max(if(value IS NULL, NULL, minute)) AS last_minute
  FROM (
    SELECT q.tag_no, q.quarter, s.received_at, (s.ts // 60000000)::INTEGER AS minute,
      if(isfinite(s.value), s.value, s.value_int::DOUBLE) * q.scale + q."offset" AS number,
      if(isfinite(number) AND NOT coalesce(s.quality >= 2, false), number, NULL) AS value
    FROM sample AS s
    JOIN slot AS q ON q.tag_no = s.tag_no AND q.quarter = (s.ts // 900000000)::INTEGER
    WHERE s.ts >= $from_us AND s.ts < $to_us
  )
  GROUP BY tag_no, quarter
  HAVING count(*) = 15 AND bit_or(1 << (minute % 15)) = 32767
) AS s
JOIN slot USING (tag_no, quarter);
