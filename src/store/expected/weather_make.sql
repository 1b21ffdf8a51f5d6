-- What plausible weather sensors tell, by minute. Between two samples of an irradiance, while its
-- value may be carried, lies a straight line; other weather is carried. An irradiance is flat where
-- 30 minutes that hold it have one value, which is no live sensor's; a dead one's is none (see
-- light.ts). trail: its mean over a quarter-hour. A pyranometer's offset below 0 counts as 0.
CREATE OR REPLACE TEMP TABLE roll_weather_minute AS
WITH told AS MATERIALIZED (
  SELECT w.sensor_no, w.project_no, w.site_no, w.pool_no, w.block_no, w.facing_no, w.quantity,
    w.is_light, w.is_lent, m.tag_no, m.minute, m.carried, m.holds,
    m.mean * w.scale + w."offset" AS value
  FROM roll_minute AS m
  JOIN roll_weather AS w USING (tag_no)
  WHERE w.pool_no IN (SELECT pool_no FROM roll_axis) AND NOT (w.is_light AND m.carried)
),
measured AS (
  SELECT t.*, k.carry, d.altitude,
    light_line(t.value, t.minute, t.pool_no, t.sensor_no) AS line
  FROM told AS t
  JOIN roll_tag AS k ON k.tag_no = t.tag_no
  JOIN roll_day AS d
    ON d.project_no = t.project_no AND d.site_no = t.site_no AND d.quarter = t.minute // 15
  WHERE t.is_light
),
judged AS (
  SELECT pool_no, sensor_no, block_no, facing_no, is_lent, quantity, minute, holds, carry,
    CASE
      WHEN value BETWEEN -20 AND 1500 AND NOT light_dead(value, altitude, quantity)
      THEN greatest(value, 0)
    END AS value,
    bool_or(line) OVER (
      PARTITION BY pool_no, sensor_no ORDER BY minute RANGE BETWEEN CURRENT ROW AND 30 FOLLOWING
    ) AND light_stuck(value, altitude) AS flat
  FROM measured
),
linked AS (
  SELECT *, lead(minute) OVER run AS to_minute, lead(value) OVER run AS to_value,
    lead(flat) OVER run AS to_flat
  FROM judged
  WINDOW run AS (PARTITION BY pool_no, sensor_no ORDER BY minute)
),
lit AS (
  SELECT pool_no, sensor_no, block_no, facing_no, is_lent, quantity, minute, value, flat
  FROM linked
  UNION ALL
  SELECT pool_no, sensor_no, block_no, facing_no, is_lent, quantity, between_minute,
    value + (to_value - value) * (between_minute - minute) / (to_minute - minute), flat OR to_flat
  FROM (
    SELECT *, unnest(range(minute + 1, to_minute))::INTEGER AS between_minute
    FROM linked
    WHERE holds AND to_minute - minute BETWEEN 2 AND carry
  )
)
SELECT pool_no, block_no, facing_no, is_lent, quantity, minute, true AS is_light, value,
  avg(value) OVER (
    PARTITION BY pool_no, sensor_no ORDER BY minute RANGE BETWEEN 14 PRECEDING AND CURRENT ROW
  ) AS trail,
  flat
FROM lit
WHERE value IS NOT NULL
UNION ALL
SELECT pool_no, block_no, facing_no, is_lent, quantity, minute, false, value, NULL, false
FROM told
WHERE NOT is_light
  AND if(quantity = 'wind', value BETWEEN 0 AND 75, value BETWEEN -50 AND 120);
