-- How many minutes of some sensors stand on lent weather, by bucket; unordered, for the caller
-- scatters the buckets.
SELECT
  sensor_no,
  ((quarter * 15 + i + $shift::INTEGER) // $width::INTEGER)::INTEGER AS bucket,
  sum(if($width::INTEGER % 15 = 0, bit_count(bits), (bits >> i) & 1))::DOUBLE AS minutes
FROM lent_quarter
CROSS JOIN (SELECT unnest(range(if($width::INTEGER % 15 = 0, 1, 15)))::INTEGER AS i)
WHERE
  {wanted}
  AND day >= $from_day::INTEGER
  AND day < $to_day::INTEGER
  AND quarter * 15 + i >= $from_minute::INTEGER
  AND quarter * 15 + i < $to_minute::INTEGER
GROUP BY ALL
