-- The first quarter-hour of each sensor that is still computed, where there is one: of its own
-- values, and of what is expected of it, which depends on other tags of its family. What earlier
-- ones are computed from is gone, or about to go.
CREATE OR REPLACE TEMP TABLE roll_seal AS
WITH seal AS (
  SELECT tag_no, (greatest(samples, minutes, quarters) + $seal_days::INTEGER) * 96 AS quarter
  FROM horizon
  WHERE greatest(samples, minutes, quarters) > 0
),
feed AS (
  SELECT family, tag_no FROM roll_sensor WHERE family IS NOT NULL
  UNION
  SELECT family, model_tag_no FROM roll_sensor WHERE family IS NOT NULL
  UNION
  SELECT family, tag_no FROM roll_feed
),
kin AS (
  SELECT family, max(quarter) AS quarter
  FROM feed
  JOIN seal USING (tag_no)
  GROUP BY family
)
SELECT s.sensor_no, coalesce(own.quarter, 0)::INTEGER AS own_quarter,
  greatest(coalesce(own.quarter, 0), coalesce(model.quarter, 0), coalesce(kin.quarter, 0))::INTEGER
    AS quarter
FROM roll_sensor AS s
LEFT JOIN seal AS own ON own.tag_no = s.tag_no
LEFT JOIN seal AS model ON model.tag_no = s.model_tag_no
LEFT JOIN kin ON kin.family = s.family
WHERE coalesce(own.quarter, model.quarter, kin.quarter) IS NOT NULL;
