-- Quarter-hours of some sensors aggregated into buckets; unordered, for the caller scatters them.
SELECT {columns}
FROM quarter
WHERE
  {wanted}
  AND quarter.day >= $from_day::INTEGER
  AND quarter.day < $to_day::INTEGER
  AND quarter.quarter * 15 >= $from_minute::INTEGER
  AND quarter.quarter * 15 < $to_minute::INTEGER
  AND (quarter.light OR NOT $light_only::BOOLEAN)
GROUP BY ALL
