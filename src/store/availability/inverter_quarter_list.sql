-- What quarter-hours of sensors show by daylight, and what was counted in the dark; unordered, for
-- the caller scatters them.
SELECT q.sensor_no, q.quarter, q.light::INTEGER AS light, q.n, q.value, q.model, q.model_setpoint,
  q.clipped
FROM quarter AS q
JOIN (SELECT unnest($sensors::INTEGER[]) AS sensor_no) AS wanted USING (sensor_no)
WHERE q.day BETWEEN $from_day::INTEGER AND $to_day::INTEGER
  AND (q.light OR q.value > 0);
