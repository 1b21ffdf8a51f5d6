-- Quarter-hours of tags whose samples are read: those to be computed that are not whole, which have
-- a local day; those that values are carried from; those after them that an irradiance is judged
-- by.
CREATE OR REPLACE TEMP TABLE roll_scope AS
WITH own AS (
  FROM roll_slot
  ANTI JOIN roll_whole USING (tag_no, quarter)
)
SELECT q.tag_no, q.quarter, own.day, own.fresh
FROM (
  SELECT DISTINCT tag_no,
    unnest(range(greatest(after, quarter - reach), quarter + ahead + 1))::INTEGER AS quarter
  FROM (
    SELECT tag_no, quarter, reach, ahead,
      lag(quarter) OVER (PARTITION BY tag_no ORDER BY quarter) + 1 AS after
    FROM own
    JOIN roll_tag USING (tag_no)
  )
) AS q
LEFT JOIN own ON own.tag_no = q.tag_no AND own.quarter = q.quarter;
