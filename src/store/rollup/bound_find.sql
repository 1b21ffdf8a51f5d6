-- Whole quarter-hours of tags that are not looked at by entry and by reading alone, as the plant is
-- now, or whose values are not carried into a gap that is as long.
WITH bound AS (
  SELECT tag_no, seen
  FROM (SELECT DISTINCT tag_no, seen FROM whole_quarter)
  LEFT JOIN roll_tag USING (tag_no)
  WHERE NOT coalesce(alone, false)
    OR list_max([len(gap) for gap in string_split(lpad(bin(seen), 15, '0'), '1')]) > carry
)
SELECT tag_no, quarter
FROM whole_quarter
SEMI JOIN bound AS b ON b.tag_no = whole_quarter.tag_no
  AND b.seen IS NOT DISTINCT FROM whole_quarter.seen
ORDER BY quarter, tag_no
LIMIT $most
