-- A stamp at which a page of a replay may end, of what was stored after another one.
WITH stored AS (
  SELECT received_at
  {rows}
  WHERE received_at > $since_us AND received_at < $until_us
)
{read}
