-- Marks every day (UTC) of some tags that has samples in [$from_us, $to_us), quarter-hours of their
-- sensors, or minutes that are carried on, for they can lie behind a midnight.
INSERT INTO stale
SELECT tag_no, (ts // 86400000000)::INTEGER AS day
FROM sample
WHERE tag_no IN (SELECT unnest($tag_nos::INTEGER[]))
  AND ts >= $from_us::BIGINT AND ts < $to_us::BIGINT
UNION
SELECT s.tag_no, q.quarter // 96
FROM quarter AS q
JOIN sensor AS s USING (sensor_no)
WHERE s.tag_no IN (SELECT unnest($tag_nos::INTEGER[]))
  AND q.quarter >= $from_us::BIGINT // 900000000 AND q.quarter * 900000000::BIGINT < $to_us::BIGINT
UNION
SELECT tag_no, minute // 1440
FROM minute
WHERE carried AND tag_no IN (SELECT unnest($tag_nos::INTEGER[]))
  AND minute >= $from_us::BIGINT // 60000000 AND minute * 60000000::BIGINT < $to_us::BIGINT;
