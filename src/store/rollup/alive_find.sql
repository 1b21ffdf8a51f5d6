-- The last minute of each tag with newly stored samples that are not older than $since_us.
SELECT tag_no, max(ts // 60000000)::INTEGER AS minute
FROM sample
WHERE received_at > $from AND received_at <= $upto AND ts >= $since_us
GROUP BY tag_no
ORDER BY tag_no;
