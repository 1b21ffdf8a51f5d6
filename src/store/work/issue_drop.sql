-- What some sensors measured over some quarter-hours and what was expected, where both are known:
-- sums of amounts, and of rates times hours; a rate stands for the minutes that either is known in.
SELECT
  q.sensor_no,
  sum(q.value)::DOUBLE AS measured,
  sum(q.model)::DOUBLE AS expected,
  sum(q.value / q.n * greatest(q.n, q.model_n) / 60)::DOUBLE AS measured_h,
  sum(q.model / q.model_n * greatest(q.n, q.model_n) / 60)::DOUBLE AS expected_h
FROM quarter AS q
SEMI JOIN (SELECT unnest($sensors::INTEGER[]) AS sensor_no) AS wanted USING (sensor_no)
WHERE
  q.day >= $from_day::INTEGER AND q.day <= $to_day::INTEGER
  AND q.quarter >= $from_quarter::INTEGER AND q.quarter < $to_quarter::INTEGER
  AND q.n > 0 AND q.model_n > 0
GROUP BY q.sensor_no
ORDER BY q.sensor_no
