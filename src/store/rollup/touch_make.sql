-- What newly stored samples touch: quarter-hours of a tag, of minutes that are over.
CREATE OR REPLACE TEMP TABLE roll_touch AS
SELECT DISTINCT tag_no, (ts // 900000000)::INTEGER AS quarter, false AS anew
FROM sample
WHERE received_at > $from AND received_at <= $upto AND ts < $over_us;
