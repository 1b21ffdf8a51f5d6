-- What differs between the minutes as computed and as stored, by (local day, tag, minute); where
-- none is stored that goes without saying.
CREATE OR REPLACE TEMP TABLE roll_minute_change AS
WITH fresh AS (
  SELECT * EXCLUDE (fresh)
  FROM roll_made
  WHERE NOT fresh
),
stored AS (
  SELECT day, tag_no, minute, value, value_int, value_str, minimum, maximum, quality, status_code,
    carried, good_count, uncertain_count, bad_count
  FROM minute
  SEMI JOIN (FROM roll_slot WHERE NOT (fresh AND is_marked)) AS q
    ON q.tag_no = minute.tag_no AND q.quarter = minute.minute // 15
  WHERE minute BETWEEN $from_minute AND $to_minute
)
SELECT roll_op(o.day, f.day) AS op, tag_no, minute, coalesce(f.day, o.day) AS day, f.value,
  f.value_int, f.value_str, f.minimum, f.maximum, f.quality, f.status_code, f.carried,
  f.good_count, f.uncertain_count, f.bad_count
FROM fresh AS f
FULL JOIN stored AS o USING (tag_no, minute)
WHERE o.day IS DISTINCT FROM f.day OR o.carried <> f.carried OR o.good_count <> f.good_count
  OR o.uncertain_count <> f.uncertain_count OR o.bad_count <> f.bad_count
  OR o.value_int IS DISTINCT FROM f.value_int OR o.value_str IS DISTINCT FROM f.value_str
  OR o.quality IS DISTINCT FROM f.quality OR o.status_code IS DISTINCT FROM f.status_code
  OR roll_differs(o.value, f.value)
  OR roll_differs(coalesce(o.minimum, o.value), coalesce(f.minimum, f.value))
  OR roll_differs(coalesce(o.maximum, o.value), coalesce(f.maximum, f.value))
ORDER BY day, tag_no, minute;
