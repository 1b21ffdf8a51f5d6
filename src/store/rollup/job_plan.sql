-- Runs of touched quarter-hours of what is computed outside SQL, [from, to) of each; gaps of up
-- to an hour are in a run.
SELECT l.sensor_no, l.lane, l.tag_no, l.how, l.scale, l."offset", l.rated, l.interval_s,
  l.interval_at, l.modulus, r.from_quarter, r.to_quarter
FROM (
  SELECT tag_no, min(quarter)::INTEGER AS from_quarter, max(quarter)::INTEGER + 1 AS to_quarter
  FROM (
    SELECT tag_no, quarter, sum(gap) OVER (PARTITION BY tag_no ORDER BY quarter) AS run
    FROM (
      SELECT tag_no, quarter,
        (quarter - lag(quarter) OVER (PARTITION BY tag_no ORDER BY quarter) > 4)::INTEGER AS gap
      FROM roll_touch
      WHERE tag_no IN (SELECT tag_no FROM roll_lane)
    )
  )
  GROUP BY tag_no, run
) AS r
JOIN roll_lane AS l ON l.tag_no = r.tag_no
ORDER BY l.sensor_no, l.lane, r.from_quarter;
