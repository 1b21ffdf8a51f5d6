-- The minutes of whole quarter-hours, which are their samples, in the order in which they are
-- stored: part by part, and then as others are (`minute_insert.sql`).
CREATE OR REPLACE TEMP TABLE roll_whole_minute AS
SELECT day, tag_no, minute, if(bad, NULL, number) AS mean, if(bad, NULL, value_int) AS value_int,
  if(bad, NULL, value_str) AS value_str, if(bad, 2, quality)::UTINYINT AS quality, status_code
FROM (
  SELECT q.day, s.tag_no, (s.ts // 60000000)::INTEGER AS minute, s.value_int, s.value_str,
    s.quality, s.status_code, coalesce(s.quality >= 2, false) AS bad,
    if(isfinite(s.value), s.value, s.value_int::DOUBLE) AS number
  FROM sample AS s
  JOIN roll_whole AS q ON q.tag_no = s.tag_no AND q.quarter = s.ts // 900000000
  WHERE s.ts >= $from_us AND s.ts < $to_us
)
ORDER BY (minute - $from_minute::INTEGER) // $part_minutes::INTEGER, day, tag_no,
  roll_turn(tag_no, minute // 15), minute;
