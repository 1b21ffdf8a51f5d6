-- Adds the quarter-hours of the taken stale days that have samples.
INSERT INTO roll_touch
SELECT DISTINCT tag_no, (ts // 900000000)::INTEGER AS quarter, true AS anew
FROM sample
SEMI JOIN roll_stale
  ON roll_stale.tag_no = sample.tag_no AND roll_stale.day = sample.ts // 86400000000
WHERE ts < $over_us
  AND ts >= (SELECT min(day) FROM roll_stale) * 86400000000
  AND ts < (SELECT max(day) + 1 FROM roll_stale) * 86400000000;
