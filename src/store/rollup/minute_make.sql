-- The minutes of samples in scope, and those that are kept of it. A usable sample is not bad and
-- has a finite number or a text; `holds` says that the minute's last sample is usable, so that its
-- value can be carried on. A mean is of values divided by 2^32, which changes no digit: so a sum of
-- the largest doubles is finite. Rounding leaves it within their range. Where most minutes have one
-- sample, `single_read.sql` comes before what is grouped, which is what is in `several` then.
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
)
{single}
SELECT day, fresh, tag_no, minute, false AS carried,
  greatest(min(number), least(max(number), avg(number / 4294967296) * 4294967296)) AS mean,
  min(number) AS minimum, max(number) AS maximum, arg_max(number, ts) AS last,
  arg_max(value_int, ts) FILTER (NOT bad) AS value_int,
  arg_max(value_str, ts) FILTER (NOT bad) AS value_str,
  count(*) FILTER (quality = 0)::INTEGER AS good_count,
  count(*) FILTER (quality = 1)::INTEGER AS uncertain_count,
  count(*) FILTER (bad)::INTEGER AS bad_count,
  CASE
    WHEN bad_count > 0 THEN if(bool_or(usable), 3, 2)
    WHEN uncertain_count > 0 THEN 1
    WHEN good_count > 0 THEN 0
  END::UTINYINT AS quality,
  CASE
    WHEN min(status_code) = max(status_code) AND count(status_code) = count(*)
    THEN min(status_code)
  END AS status_code,
  coalesce(max(ts) FILTER (usable) = max(ts), false) AS holds
FROM scoped
{several}
GROUP BY day, fresh, tag_no, minute
UNION ALL
SELECT q.day, q.fresh, m.*
FROM roll_kept AS m
JOIN roll_scope AS q
  ON q.tag_no = m.tag_no AND q.quarter = m.minute // 15 AND m.minute < q.from_minute;
