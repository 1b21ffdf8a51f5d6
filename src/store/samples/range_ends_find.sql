-- The first and the last time of any rows of a range, as many as a page takes, and how many these
-- are.
SELECT count(*) AS rows, min(ts) AS first_us, max(ts) AS last_us
FROM (
  SELECT entry.ts
  {rows}
  LIMIT $limit::BIGINT + $offset::BIGINT
)
