-- Marks every day (UTC) of some tags that has samples in [$from_us, $to_us).
INSERT INTO stale
SELECT DISTINCT tag_no, (ts // 86400000000)::INTEGER AS day
FROM sample
WHERE tag_no IN (SELECT unnest($tag_nos)) AND ts >= $from_us AND ts < $to_us;
