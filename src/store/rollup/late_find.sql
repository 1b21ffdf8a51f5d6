-- Of the whole quarter-hours in `unfold` those with a sample that was stored after them.
SELECT w.tag_no, w.quarter
FROM whole_quarter AS w
SEMI JOIN unfold AS u ON u.tag_no = w.tag_no AND u.quarter = w.quarter
SEMI JOIN (
  FROM sample
  WHERE ts >= $from_minute::INTEGER * 60000000::BIGINT
    AND ts < $to_minute::INTEGER * 60000000::BIGINT
) AS s ON s.tag_no = w.tag_no AND s.ts // 900000000 = w.quarter AND s.received_at > w.upto
LIMIT $most
