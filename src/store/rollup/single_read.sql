-- A part of `minute_make.sql`. Quarter-hours of a tag in which each minute has one sample: they are
-- read row by row, which takes two thirds of what it takes to group them.
,
several AS MATERIALIZED (
  SELECT tag_no, minute // 15 AS quarter
  FROM scoped
  GROUP BY tag_no, quarter
  HAVING count(*) > bit_count(bit_or(1 << (minute % 15)))
)
SELECT day, fresh, tag_no, minute, false AS carried, number AS mean, number AS minimum,
  number AS maximum, number AS last, if(bad, NULL, value_int) AS value_int,
  if(bad, NULL, value_str) AS value_str,
  coalesce(quality = 0, false)::INTEGER AS good_count,
  coalesce(quality = 1, false)::INTEGER AS uncertain_count, bad::INTEGER AS bad_count,
  if(bad, 2, quality)::UTINYINT AS quality, status_code, usable AS holds
FROM scoped
ANTI JOIN several AS q ON q.tag_no = scoped.tag_no AND q.quarter = minute // 15
UNION ALL
