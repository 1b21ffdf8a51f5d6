-- Shares the setpoints of a level's groups of inverters, in proportion to what is expected of them:
-- each takes its own most, if that is less, and the others take the rest. With the most of the
-- first k in order of most over model, C, and the models of the others, W, the share of the model
-- is the greatest (setpoint - C) / W of all k. What is not expected to give anything has no share.
WITH least_of AS (
  SELECT group_no, minute, min(setpoint) AS setpoint
  FROM roll_active
  WHERE level = $level
  GROUP BY group_no, minute
),
bound AS MATERIALIZED (
  SELECT l.group_no, l.minute, l.setpoint
  FROM least_of AS l
  JOIN roll_member AS g ON g.group_no = l.group_no AND g.counts
  JOIN roll_cap AS c ON c.sensor_no = g.sensor_no AND c.minute = l.minute
  GROUP BY l.group_no, l.minute, l.setpoint
  HAVING sum(c.most) > l.setpoint
),
step AS (
  SELECT b.group_no, b.minute, b.setpoint,
    coalesce(sum(c.most) OVER (ranked ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
      AS taken,
    sum(greatest(c.model, 0)) OVER (ranked ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
      AS others
  FROM bound AS b
  JOIN roll_member AS g ON g.group_no = b.group_no AND g.counts
  JOIN roll_cap AS c ON c.sensor_no = g.sensor_no AND c.minute = b.minute
  WINDOW ranked AS (
    PARTITION BY b.group_no, b.minute
    ORDER BY if(c.model > 0, c.most / c.model, '-inf'::DOUBLE), c.sensor_no
  )
),
share AS (
  SELECT g.sensor_no, s.minute, min(s.share) AS share
  FROM (
    SELECT group_no, minute, max((setpoint - taken) / others) FILTER (others > 0) AS share
    FROM step
    GROUP BY group_no, minute
  ) AS s
  JOIN roll_member AS g USING (group_no)
  GROUP BY g.sensor_no, s.minute
)
UPDATE roll_cap AS c
SET most = s.share * c.model
FROM share AS s
WHERE s.sensor_no = c.sensor_no AND s.minute = c.minute AND c.model > 0
  AND s.share * c.model < c.most;
