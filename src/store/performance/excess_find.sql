-- Sensors with minutes beyond their bounds. Days tell which they are, when, and how far; of these
-- alone quarter-hours are read. One may be two rows, of its light and its dark minutes, unless one
-- row has all of them.
WITH bound AS (
  SELECT unnest($sensors::INTEGER[]) AS sensor_no, unnest($bounds::DOUBLE[]) AS most
),
beyond AS MATERIALIZED (
  SELECT d.sensor_no, d.day, b.most, max(greatest(d.maximum, -d.minimum)) AS size
  FROM daily AS d
  JOIN bound AS b USING (sensor_no)
  WHERE d.day >= $from_day::INTEGER AND (d.maximum > b.most OR d.minimum < -b.most)
  GROUP BY d.sensor_no, d.day, b.most
),
whole AS (
  SELECT sensor_no, max(size) AS size
  FROM beyond
  GROUP BY sensor_no
)
SELECT q.sensor_no,
  (count(*) FILTER (q.n = 15) + count(DISTINCT q.quarter) FILTER (q.n < 15))::INTEGER AS quarters,
  min(q.quarter) AS first_quarter, max(q.quarter) AS last_quarter,
  if(bool_or(q.maximum = w.size), any_value(w.size), -any_value(w.size)) AS greatest,
  min(q.quarter) FILTER (q.maximum = w.size OR q.minimum = -w.size) AS greatest_quarter
FROM quarter AS q
JOIN beyond AS b ON b.sensor_no = q.sensor_no AND b.day = q.day
JOIN whole AS w ON w.sensor_no = q.sensor_no
WHERE q.day >= $from_day::INTEGER AND (q.maximum > b.most OR q.minimum < -b.most)
GROUP BY q.sensor_no
ORDER BY q.sensor_no
