-- Whole quarter-hours of tags: no minute of one is stored, each of its minutes has one sample and
-- is over, and nothing but simple readings is made of them. So they need no look at what is stored,
-- no groups and no values that are carried on; and what they come to is not stored (`whole.ts`).
CREATE OR REPLACE TEMP TABLE roll_whole AS
SELECT q.*, max(s.received_at) AS upto
FROM (
  SELECT q.day, q.tag_no, q.quarter, u.sensor_no, u.day AS sensor_day, u.scale, u."offset", u.light
  FROM roll_slot AS q
  SEMI JOIN (FROM roll_tag WHERE alone) AS t ON t.tag_no = q.tag_no
  LEFT JOIN roll_sensor AS r ON r.tag_no = q.tag_no
  LEFT JOIN (FROM roll_unit WHERE simple) AS u
    ON u.sensor_no = r.sensor_no AND u.quarter = q.quarter
  WHERE (q.fresh OR q.is_marked) AND (r.sensor_no IS NULL OR u.sensor_no IS NOT NULL)
) AS q
JOIN sample AS s ON s.tag_no = q.tag_no AND (s.ts // 900000000)::INTEGER = q.quarter
WHERE s.ts >= $from_us AND s.ts < $to_us
GROUP BY ALL
HAVING count(*) = 15 AND bit_or(1 << ((s.ts // 60000000) % 15)) = 32767;
