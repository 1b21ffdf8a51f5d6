-- The stamp by which so many whole quarter-hours of some tags were stored behind another one, all
-- of whose minutes lie in a range of time.
SELECT received_at AS end_us
FROM whole_quarter
SEMI JOIN (SELECT unnest($tags::INTEGER[]) AS tag_no) AS wanted USING (tag_no)
WHERE received_at > $since_us::BIGINT
  AND received_at < $until_us::BIGINT
  AND quarter >= ($from_minute::INTEGER + 14) // 15
  AND quarter < $to_minute::INTEGER // 15
ORDER BY received_at
LIMIT 1 OFFSET $before
