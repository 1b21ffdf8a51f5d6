-- Adds the quarter-hours of the taken stale days that have samples or are rolled up: what was
-- expected of a sensor without samples can be no more.
INSERT INTO roll_touch
SELECT tag_no, (ts // 900000000)::INTEGER AS quarter, true AS anew, 0 AS since
FROM sample
SEMI JOIN roll_stale
  ON roll_stale.tag_no = sample.tag_no AND roll_stale.day = sample.ts // 86400000000
WHERE ts < $over_us
  AND ts >= $from_us::BIGINT
  AND ts < $to_us::BIGINT
UNION
SELECT s.tag_no, q.quarter, true, 0
FROM quarter AS q
JOIN sensor AS s USING (sensor_no)
SEMI JOIN roll_stale AS d ON d.tag_no = s.tag_no AND d.day = q.quarter // 96
WHERE q.day BETWEEN (SELECT min(day) - 1 FROM roll_stale) AND (SELECT max(day) + 1 FROM roll_stale)
UNION
-- A value was carried on, and may be no more.
SELECT m.tag_no, m.minute // 15, true, 0
FROM minute AS m
SEMI JOIN roll_stale AS d ON d.tag_no = m.tag_no AND d.day = m.minute // 1440
WHERE m.carried
  AND m.day BETWEEN (SELECT min(day) - 1 FROM roll_stale) AND (SELECT max(day) + 1 FROM roll_stale);
