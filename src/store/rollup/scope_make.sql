-- Quarter-hours of tags whose samples are read: those to be worked out and those that values are
-- carried from.
CREATE OR REPLACE TEMP TABLE roll_scope AS
SELECT tag_no, unnest(range(since, quarter + 1))::INTEGER AS quarter
FROM (
  SELECT tag_no, quarter,
    greatest(lag(quarter) OVER (PARTITION BY tag_no ORDER BY quarter) + 1, quarter - reach) AS since
  FROM roll_slot
  JOIN roll_tag USING (tag_no)
);
