-- Shares the setpoints of a level's groups of inverters, in proportion to what is expected of them:
-- each takes its own most, if that is less, and the others take the rest. With the most of the
-- first k in order of most over model, C, and the models of the others, W, the share of the model
-- is the greatest (setpoint - C) / W of all k. What is not expected to give anything has no share.
CREATE OR REPLACE TEMP TABLE roll_cap AS
WITH part AS (
  SELECT g.group_no, l.minute, l.setpoint, c.sensor_no, c.most, greatest(c.model, 0) AS model,
    if(c.model > 0, c.most / c.model, '-inf'::DOUBLE) AS ratio
  FROM (
    SELECT group_no, minute, min(setpoint) AS setpoint
    FROM roll_active
    WHERE level = $level
    GROUP BY group_no, minute
  ) AS l
  JOIN roll_member AS g ON g.group_no = l.group_no AND g.counts
  JOIN roll_cap AS c ON c.sensor_no = g.sensor_no AND c.minute = l.minute
  QUALIFY sum(c.most) OVER (PARTITION BY g.group_no, l.minute) > l.setpoint
),
step AS (
  SELECT group_no, minute, setpoint,
    coalesce(sum(most) OVER (ranked ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS taken,
    sum(model) OVER (ranked ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS others
  FROM part
  WINDOW ranked AS (PARTITION BY group_no, minute ORDER BY ratio, sensor_no)
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
SELECT c.* REPLACE (if(c.model > 0, least(c.most, s.share * c.model), c.most) AS most)
FROM roll_cap AS c
LEFT JOIN share AS s USING (sensor_no, minute);
