-- The stamp up to which about $rows of the next stored samples reach, how many these are, and how
-- many wait in all.
SELECT max(received_at)::BIGINT AS upto, coalesce(max(running), 0)::BIGINT AS taken,
  coalesce(max(waiting), 0)::BIGINT AS waiting
FROM (
  SELECT received_at, running, sum(rows) OVER () AS waiting,
    row_number() OVER (ORDER BY received_at) AS place
  FROM (
    SELECT received_at, count(*) AS rows, sum(count(*)) OVER (ORDER BY received_at) AS running
    FROM sample
    WHERE received_at > $from
    GROUP BY received_at
  )
)
WHERE running <= $rows OR place = 1
ORDER BY upto;
