-- Minutes of sensors, of each after a minute of its own, beside what the median of their peers, at
-- least three others with a value, makes of them. That median lies at the middle of all shares, or
-- next to it where the own one is before it.
WITH member AS (
  SELECT unnest($sensors::INTEGER[]) AS sensor_no, unnest($after::INTEGER[]) AS after,
    unnest($group_nos::INTEGER[]) AS group_no, unnest($weights::DOUBLE[]) AS weight
),
part AS (
  SELECT r.sensor_no, r.minute, r.value, m.after, m.group_no, m.weight,
    r.value / m.weight AS share
  FROM {readings} AS r
  JOIN member AS m USING (sensor_no)
  WHERE r.minute >= $from_minute::INTEGER AND r.minute < $to_minute::INTEGER AND r.value IS NOT NULL
),
crowd AS (
  SELECT group_no, minute, count(*) AS n, list_sort(list(share)) AS shares
  FROM part
  GROUP BY group_no, minute
  HAVING n > 3
),
middle AS (
  SELECT group_no, minute, shares[n // 2] AS low, shares[n // 2 + 1] AS low_next,
    shares[(n + 1) // 2] AS high, shares[(n + 1) // 2 + 1] AS high_next
  FROM crowd
)
SELECT p.sensor_no, p.minute, p.value,
  p.weight * (if(m.low < p.share, m.low, m.low_next) +
    if(m.high < p.share, m.high, m.high_next)) / 2 AS expected
FROM part AS p
JOIN middle AS m USING (group_no, minute)
WHERE p.minute > p.after
ORDER BY p.minute, p.sensor_no;
