-- The first and the last day of each tag within its days and $reach more.
SELECT d.tag_no, min(t.{at} // {per_day})::INTEGER AS from_day,
  max(t.{at} // {per_day})::INTEGER AS last_day
FROM {table} AS t
JOIN {owners} AS d
  ON d.{owner} = t.{owner} AND t.{at} // {per_day} >= d.from_day
    AND t.{at} // {per_day} < d.to_day + $reach::INTEGER
WHERE t.{at} < $end_day::BIGINT * {per_day}
GROUP BY d.tag_no
ORDER BY d.tag_no
