-- Quarter-hours of tags whose samples are read: those to be computed that are not whole, which have
-- a local day; those that values are carried from; those after them that an irradiance is judged
-- by. from_minute: of running ones what came before is kept (`roll_kept`); running: it may be kept.
CREATE OR REPLACE TEMP TABLE roll_scope AS
WITH own AS (
  FROM roll_slot
  ANTI JOIN roll_whole USING (tag_no, quarter)
)
SELECT q.tag_no, q.quarter, own.day, own.fresh,
  greatest(q.quarter * 15, k.until) AS from_minute,
  q.quarter >= $over_minute::INTEGER // 15 - q.reach AS running
FROM (
  SELECT DISTINCT tag_no, reach,
    unnest(range(greatest(after, quarter - reach), quarter + ahead + 1))::INTEGER AS quarter
  FROM (
    SELECT tag_no, quarter, reach, ahead,
      lag(quarter) OVER (PARTITION BY tag_no ORDER BY quarter) + 1 AS after
    FROM own
    JOIN roll_tag USING (tag_no)
  )
) AS q
LEFT JOIN own ON own.tag_no = q.tag_no AND own.quarter = q.quarter
LEFT JOIN (
  SELECT tag_no, quarter, max(until) AS until
  FROM roll_known
  GROUP BY tag_no, quarter
) AS k ON k.tag_no = q.tag_no AND k.quarter = q.quarter;
