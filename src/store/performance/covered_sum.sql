-- How many minutes of daylight the matched values of some sensors stand for, by bucket: each value
-- until the next one usually comes that day. Days are read whole; unordered, for the caller
-- scatters the buckets.
WITH mask AS (
  SELECT
    quarter.day,
    quarter.sensor_no,
    quarter.quarter,
    bit_or(quarter.heard) AS heard,
    bit_or(quarter.modelled) FILTER (quarter.light) AS modelled
  FROM quarter
  WHERE
    {wanted}
    AND quarter.day >= $from_day::INTEGER
    AND quarter.day < $to_day::INTEGER
    AND quarter.modelled IS NOT NULL
  GROUP BY ALL
),
spaced AS (
  SELECT day, sensor_no, quantile_disc(spacing_of(heard), 0.4) AS spacing
  FROM mask
  GROUP BY day, sensor_no
),
covered AS (
  SELECT
    sensor_no,
    quarter,
    cover_of(
      lag(heard) OVER (
        PARTITION BY day, sensor_no ORDER BY quarter RANGE BETWEEN 1 PRECEDING AND 1 PRECEDING
      ),
      heard,
      spacing
    ) & modelled AS bits
  FROM mask
  JOIN spaced USING (day, sensor_no)
)
SELECT
  sensor_no,
  ((quarter * 15 + i + $shift::INTEGER) // $width::INTEGER)::INTEGER AS bucket,
  sum(if($width::INTEGER % 15 = 0, bit_count(bits), (bits >> i) & 1))::DOUBLE AS minutes
FROM covered
CROSS JOIN (SELECT unnest(range(if($width::INTEGER % 15 = 0, 1, 15)))::INTEGER AS i)
WHERE
  bits > 0
  AND quarter * 15 + i >= $from_minute::INTEGER
  AND quarter * 15 + i < $to_minute::INTEGER
GROUP BY ALL
