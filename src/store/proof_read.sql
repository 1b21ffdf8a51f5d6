-- Whether a copy holds just the samples of a day that are here, and when the last was stored.
SELECT near.rows, near.last_received_at,
  near.rows = far.rows AND near.digest IS NOT DISTINCT FROM far.digest AS is_same
FROM (
  SELECT count(*)::BIGINT AS rows, sum(hash(sample)::HUGEINT) AS digest,
    coalesce(max(received_at), 0)::BIGINT AS last_received_at
  FROM sample
  WHERE ts >= $day::BIGINT * 86400000000 AND ts < ($day::BIGINT + 1) * 86400000000
) AS near
CROSS JOIN (
  SELECT count(*)::BIGINT AS rows, sum(hash(moved)::HUGEINT) AS digest
  FROM moved
) AS far
