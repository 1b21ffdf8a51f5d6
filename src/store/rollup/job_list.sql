-- Runs of the quarter-hours of sensors that are computed outside SQL, lane by lane.
SELECT l.sensor_no, l.lane, l.tag_no, l.how, l.scale, l."offset", l.rated, l.interval_s,
  l.interval_at, l.modulus, r.from_quarter, r.to_quarter
FROM (
  SELECT sensor_no, lane, min(quarter)::INTEGER AS from_quarter,
    max(quarter)::INTEGER + 1 AS to_quarter
  FROM (
    SELECT l.sensor_no, l.lane, u.quarter,
      u.quarter - row_number() OVER (PARTITION BY l.sensor_no, l.lane ORDER BY u.quarter) AS run
    FROM roll_unit AS u
    JOIN roll_lane AS l ON l.sensor_no = u.sensor_no
    WHERE if(l.lane = 'value', u.revalue, u.remodel)
  )
  GROUP BY sensor_no, lane, run
) AS r
JOIN roll_lane AS l ON l.sensor_no = r.sensor_no AND l.lane = r.lane
ORDER BY l.sensor_no, l.lane, r.from_quarter;
