-- Quarter-hours of some sensors, each a bucket; unordered, for the caller scatters them. One that
-- has a value in each of its minutes is one row; another may be two, of its light and dark minutes.
WITH wanted AS NOT MATERIALIZED (
  FROM quarter
  WHERE
    {wanted}
    AND quarter.day >= $from_day::INTEGER
    AND quarter.day < $to_day::INTEGER
    AND quarter.quarter * 15 >= $from_minute::INTEGER
    AND quarter.quarter * 15 < $to_minute::INTEGER
    AND (quarter.light OR NOT $light_only::BOOLEAN)
)
SELECT {one} FROM wanted AS quarter WHERE n = 15
UNION ALL
SELECT {several} FROM wanted AS quarter WHERE n <> 15 GROUP BY ALL
