-- How long some inverters were in each state whose worth is known, and unavailable in it; hours.
SELECT
  s.state,
  (sum(least(s.to_us, $to_us::BIGINT) - greatest(s.from_us, $from_us::BIGINT)) / 3.6e9)::DOUBLE
    AS hours,
  (
    sum(s.unavailable * (least(s.to_us, $to_us::BIGINT) - greatest(s.from_us, $from_us::BIGINT)))
    / 3.6e9
  )::DOUBLE AS unavailable_hours
FROM inverter_state AS s
SEMI JOIN (SELECT unnest($sensors::INTEGER[]) AS sensor_no) AS wanted USING (sensor_no)
WHERE
  s.day >= $from_day::INTEGER AND s.day <= $to_day::INTEGER
  AND s.from_us < $to_us::BIGINT AND s.to_us > $from_us::BIGINT AND s.unavailable IS NOT NULL
GROUP BY s.state
ORDER BY unavailable_hours DESC, s.state
