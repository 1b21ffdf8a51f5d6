-- The first and the last time of any entries of a range, as many as are asked for, and how many
-- these are.
SELECT count(*) AS rows, min(ts) AS first_us, max(ts) AS last_us
FROM (
  SELECT ts
  {rows}
  LIMIT $most
)
