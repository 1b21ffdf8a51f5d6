-- The minutes of samples in scope, and those that are kept of it. A usable sample is not bad and
-- has a finite number or a text; `holds` says that the minute's last sample is usable, so that its
-- value can be carried on. Most minutes have one sample: quarter-hours of a tag in which all have
-- one are not grouped. A mean is of values divided by 2^32, which changes no digit: so a sum of the
-- largest doubles is finite. Rounding leaves it within their range.
CREATE OR REPLACE TEMP TABLE roll_minute AS
WITH scoped AS NOT MATERIALIZED (
  SELECT *, NOT bad AND (number IS NOT NULL OR value_str IS NOT NULL) AS usable
  FROM (
    SELECT q.day, q.fresh, s.tag_no, (s.ts // 60000000)::INTEGER AS minute, s.ts, s.value_int,
      s.value_str, s.quality, s.status_code, coalesce(s.quality >= 2, false) AS bad,
      CASE
        WHEN s.quality >= 2 THEN NULL
        WHEN isfinite(s.value) THEN s.value
        ELSE s.value_int::DOUBLE
      END AS number
    FROM sample AS s
    JOIN roll_scope AS q ON q.tag_no = s.tag_no AND q.quarter = s.ts // 900000000
    WHERE s.ts >= $from_us AND s.ts < $to_us AND s.ts // 60000000 >= q.from_minute
  )
),
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
SELECT day, fresh, tag_no, minute, false,
  greatest(min(number), least(max(number), avg(number / 4294967296) * 4294967296)),
  min(number), max(number), arg_max(number, ts),
  arg_max(value_int, ts) FILTER (NOT bad), arg_max(value_str, ts) FILTER (NOT bad),
  count(*) FILTER (quality = 0)::INTEGER AS good_count,
  count(*) FILTER (quality = 1)::INTEGER AS uncertain_count,
  count(*) FILTER (bad)::INTEGER AS bad_count,
  CASE
    WHEN bad_count > 0 THEN if(bool_or(usable), 3, 2)
    WHEN uncertain_count > 0 THEN 1
    WHEN good_count > 0 THEN 0
  END::UTINYINT,
  CASE
    WHEN min(status_code) = max(status_code) AND count(status_code) = count(*)
    THEN min(status_code)
  END,
  coalesce(max(ts) FILTER (usable) = max(ts), false)
FROM scoped
SEMI JOIN several AS q ON q.tag_no = scoped.tag_no AND q.quarter = minute // 15
GROUP BY day, fresh, tag_no, minute
UNION ALL
SELECT q.day, q.fresh, m.*
FROM roll_kept AS m
JOIN roll_scope AS q
  ON q.tag_no = m.tag_no AND q.quarter = m.minute // 15 AND m.minute < q.from_minute;
