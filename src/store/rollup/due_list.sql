-- Every quarter-hour in which something is due, with what it comes to: a tag's minutes are 1, a
-- sensor's readings, with all that is computed for them, 3.
SELECT quarter, sum(units)::INTEGER AS units
FROM (
  SELECT u.quarter, 3 * if(u.remodel, s.family_size, 1) AS units
  FROM roll_due_unit AS u
  JOIN roll_sensor AS s ON s.sensor_no = u.sensor_no
  UNION ALL
  SELECT quarter, 1 FROM roll_due_slot
)
GROUP BY quarter
ORDER BY quarter;
