-- Numbers of inverters' days by bucket and group; unordered, for the caller scatters them. Whole
-- parts of a unit add up without rounding, in any order; what is left of each number is so small
-- that its sum is as good as exact.
SELECT
  ($buckets::INTEGER[])[1 + day - $from_day::INTEGER] AS bucket,
  group_no,
  {sums},
  {rests}
FROM (
  {days}
)
GROUP BY ALL
