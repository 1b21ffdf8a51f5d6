-- What some sensors measured over some quarter-hours beside what was expected, where both are known.
SELECT q.sensor_no, sum(q.value)::DOUBLE AS value, sum(q.model)::DOUBLE AS model
FROM quarter AS q
SEMI JOIN (SELECT unnest($sensors::INTEGER[]) AS sensor_no) AS wanted USING (sensor_no)
WHERE
  q.day >= $from_day::INTEGER AND q.day <= $to_day::INTEGER
  AND q.quarter >= $from_quarter::INTEGER AND q.quarter < $to_quarter::INTEGER
  AND q.n > 0 AND q.model_n > 0
GROUP BY q.sensor_no
ORDER BY q.sensor_no
