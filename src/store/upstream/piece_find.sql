-- From which stamp on a span of storing has its newest rows, as many as a block takes: null where
-- it has no more than those. A long text counts as several rows. No row where nothing was stored.
SELECT max(received_at) FILTER (rows >= $most::BIGINT) AS first_us
FROM (
  SELECT received_at, sum(sum(weight)) OVER (ORDER BY received_at DESC) AS rows
  FROM (
    SELECT received_at, 1 + coalesce(strlen(value_str), 0) // {text_length} AS weight FROM sample
    WHERE received_at >= $since_us::BIGINT AND received_at < $until_us::BIGINT
    UNION ALL
    SELECT received_at, 1 AS weight FROM forecast
    WHERE received_at >= $since_us::BIGINT AND received_at < $until_us::BIGINT
  )
  GROUP BY received_at
)
HAVING count(*) > 0
