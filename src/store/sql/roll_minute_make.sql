-- The minutes of samples in scope. A usable sample is not bad and has a finite number or a text;
-- `holds` says that the minute's last sample is usable, so that its value can be carried on.
CREATE OR REPLACE TEMP TABLE roll_minute AS
SELECT tag_no, minute, false AS carried, avg(number) AS mean, min(number) AS minimum,
  max(number) AS maximum, arg_max(number, ts) AS last,
  arg_max(value_int, ts) FILTER (NOT bad) AS value_int,
  arg_max(value_str, ts) FILTER (NOT bad) AS value_str,
  count(*) FILTER (quality = 0)::INTEGER AS good_count,
  count(*) FILTER (quality = 1)::INTEGER AS uncertain_count,
  count(*) FILTER (bad)::INTEGER AS bad_count,
  count(*) FILTER (usable)::INTEGER AS usable_count,
  CASE
    WHEN bad_count > 0 THEN CASE WHEN usable_count > 0 THEN 3 ELSE 2 END
    WHEN uncertain_count > 0 THEN 1
    WHEN good_count > 0 THEN 0
  END::UTINYINT AS quality,
  CASE
    WHEN min(status_code) = max(status_code) AND count(status_code) = count(*)
    THEN min(status_code)
  END AS status_code,
  coalesce(max(ts) FILTER (usable) = max(ts), false) AS holds
FROM (
  SELECT *, NOT bad AND (number IS NOT NULL OR value_str IS NOT NULL) AS usable
  FROM (
    SELECT s.tag_no, (s.ts // 60000000)::INTEGER AS minute, s.ts, s.value_int, s.value_str,
      s.quality, s.status_code, coalesce(s.quality >= 2, false) AS bad,
      CASE
        WHEN s.quality >= 2 THEN NULL
        WHEN isfinite(s.value) THEN s.value
        ELSE s.value_int::DOUBLE
      END AS number
    FROM sample AS s
    SEMI JOIN roll_scope AS q ON q.tag_no = s.tag_no AND q.quarter = s.ts // 900000000
    WHERE s.ts >= $from_us AND s.ts < $to_us
  )
)
GROUP BY tag_no, minute;
