-- The days of a range on which some of the inverters have states.
SELECT DISTINCT day
FROM inverter_day
WHERE day BETWEEN $from_day::INTEGER AND $to_day::INTEGER
  AND sensor_no IN (SELECT unnest($sensors::INTEGER[]))
ORDER BY day;
