-- The last of so many whole quarter-hours of some tags behind a watermark, in the order of a
-- replay, all of whose minutes lie in a range of time.
SELECT received_at AS end_us, quarter AS end_quarter
FROM whole_quarter
SEMI JOIN (SELECT unnest($tags::INTEGER[]) AS tag_no) AS wanted USING (tag_no)
WHERE received_at >= $since_us::BIGINT
  AND received_at < $until_us::BIGINT
  AND (received_at > $since_us::BIGINT OR quarter > $after_quarter::INTEGER)
  AND quarter >= ($from_minute::INTEGER + 14) // 15
  AND quarter < $to_minute::INTEGER // 15
ORDER BY received_at, quarter
LIMIT 1 OFFSET $before
