-- Takes the oldest stale days out for this pass, each with all its tags: up to $days days of tags,
-- and at least one day.
CREATE OR REPLACE TEMP TABLE roll_stale AS
SELECT tag_no, day
FROM (
  SELECT tag_no, day, count(*) OVER (ORDER BY day RANGE UNBOUNDED PRECEDING) AS upto,
    min(day) OVER () AS oldest
  FROM (SELECT DISTINCT tag_no, day FROM stale)
)
WHERE upto <= $days OR day = oldest;
