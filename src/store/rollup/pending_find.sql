-- Tags and minutes of newly stored samples whose minute is not over yet.
SELECT tag_no, (ts // 60000000)::INTEGER AS minute, min(received_at)::BIGINT AS received_at
FROM sample
WHERE received_at > $from AND received_at <= $upto AND ts >= $over_us
GROUP BY tag_no, minute
ORDER BY tag_no, minute;
