-- The minutes of the whole quarter-hours that lie behind a watermark and up to an end, in the order
-- of a replay.
SELECT min(quarter)::INTEGER * 15 AS from_minute, max(quarter)::INTEGER * 15 + 15 AS to_minute
FROM whole_quarter
WHERE received_at >= $since_us::BIGINT
  AND received_at <= $end_us::BIGINT
  AND (received_at > $since_us::BIGINT OR quarter >= $after_quarter::INTEGER)
  AND (received_at < $end_us::BIGINT OR quarter <= $end_quarter::INTEGER)
