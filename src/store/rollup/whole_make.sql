-- Whole quarter-hours of tags: nothing of one is stored, each of its minutes has one sample and is
-- over, and nothing but simple readings is made of them. So they need no look at what is stored, no
-- groups and no values that are carried on.
CREATE OR REPLACE TEMP TABLE roll_whole AS
SELECT q.tag_no, q.quarter, q.day
FROM (
  FROM roll_slot
  SEMI JOIN (FROM roll_tag WHERE alone) USING (tag_no)
  ANTI JOIN (
    SELECT plain_tag_no AS tag_no, quarter FROM roll_unit WHERE NOT simple
  ) USING (tag_no, quarter)
  WHERE fresh
) AS q
JOIN sample AS s ON s.tag_no = q.tag_no AND s.ts // 900000000 = q.quarter
WHERE s.ts >= $from_us AND s.ts < $to_us
GROUP BY q.tag_no, q.quarter, q.day
HAVING count(*) = 15 AND bit_or(1 << ((s.ts // 60000000) % 15)) = 32767;
