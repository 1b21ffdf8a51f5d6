-- Days of some sensors aggregated into buckets by a list of each day's bucket; unordered, for the
-- caller scatters them.
SELECT {columns}
FROM daily
{days}
WHERE
  {wanted}
  AND daily.day >= $from_day::INTEGER
  AND daily.day < $to_day::INTEGER
  AND (daily.light OR NOT $light_only::BOOLEAN)
GROUP BY ALL
