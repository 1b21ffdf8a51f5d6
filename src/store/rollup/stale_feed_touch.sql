-- Adds what the families of the taken stale tags depend on, on the same days.
INSERT INTO roll_touch
SELECT DISTINCT sample.tag_no, (ts // 900000000)::INTEGER AS quarter, false AS anew,
  0 AS since
FROM sample
SEMI JOIN (
  SELECT f.tag_no, d.day
  FROM roll_stale AS d
  JOIN roll_sensor AS s ON s.tag_no = d.tag_no
  JOIN roll_feed AS f ON f.family = s.family
) AS f
  ON f.tag_no = sample.tag_no AND f.day = sample.ts // 86400000000
WHERE ts < $over_us
  AND ts >= $from_us::BIGINT
  AND ts < $to_us::BIGINT;
