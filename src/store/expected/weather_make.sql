-- What plausible weather sensors tell, by minute. An irradiance is flat where all that was measured
-- over 30 minutes of light is one value (three or more, over 25 minutes or more); a carried minute
-- is as flat as the one before, and no direct light is no flat line. trail: its mean over a
-- quarter-hour. A pyranometer's offset below 0 counts as 0.
CREATE OR REPLACE TEMP TABLE roll_weather_minute AS
WITH told AS MATERIALIZED (
  SELECT w.sensor_no, w.pool_no, w.block_no, w.facing_no, w.quantity, m.minute, m.carried,
    m.mean * w.scale + w."offset" AS value, w.quantity IN ('poa', 'ghi', 'dni', 'dhi') AS is_light
  FROM roll_minute AS m
  JOIN roll_weather AS w USING (tag_no)
  WHERE w.pool_no IN (SELECT pool_no FROM roll_axis) AND CASE
    WHEN is_light THEN value BETWEEN -20 AND 1500
    WHEN w.quantity = 'wind' THEN value BETWEEN 0 AND 75
    ELSE value BETWEEN -50 AND 120
  END
),
lit AS (
  SELECT t.*, NOT t.carried AND (d.light >> (t.minute % 15)) & 1 = 1 AS counts
  FROM told AS t
  JOIN roll_weather AS w ON w.sensor_no = t.sensor_no
  JOIN roll_day AS d
    ON d.project_no = w.project_no AND d.site_no = w.site_no AND d.quarter = t.minute // 15
  WHERE t.is_light
),
watched AS (
  SELECT *,
    coalesce(
      min(value) FILTER (counts) OVER half = max(value) FILTER (counts) OVER half
        AND count(*) FILTER (counts) OVER half >= 3
        AND minute - min(minute) FILTER (counts) OVER half >= 25
        AND NOT (quantity = 'dni' AND value <= 0),
      false
    ) AS line,
    avg(greatest(value, 0)) OVER (
      PARTITION BY sensor_no ORDER BY minute RANGE BETWEEN 14 PRECEDING AND CURRENT ROW
    ) AS trail
  FROM lit
  WINDOW half AS (
    PARTITION BY sensor_no ORDER BY minute RANGE BETWEEN 30 PRECEDING AND CURRENT ROW
  )
)
SELECT pool_no, block_no, facing_no, quantity, minute, true AS is_light,
  greatest(value, 0) AS value, trail,
  coalesce(
    last_value(CASE WHEN NOT carried THEN line END IGNORE NULLS) OVER (
      PARTITION BY sensor_no ORDER BY minute
    ),
    false
  ) AS flat
FROM watched
UNION ALL
SELECT pool_no, block_no, facing_no, quantity, minute, false, value, NULL, false
FROM told
WHERE NOT is_light;
