-- The weather of each area and minute: the median of its block's healthy sensors, else of its
-- pool's; of those that measure in a plane, only the ones that can face its way. Where these give
-- no light in the plane, or no air, the lent sensors do.
CREATE OR REPLACE TEMP TABLE roll_sky AS
WITH near AS (
  SELECT block_no, minute, median(value) FILTER (quantity = 'poa') AS poa,
    median(value) FILTER (quantity = 'ghi') AS ghi, median(value) FILTER (quantity = 'dni') AS dni,
    median(value) FILTER (quantity = 'dhi') AS dhi,
    median(value) FILTER (quantity = 'ambient') AS ambient,
    median(value) FILTER (quantity = 'module') AS module,
    median(value) FILTER (quantity = 'wind') AS wind
  FROM roll_healthy
  WHERE NOT is_lent
  GROUP BY block_no, minute
),
faced AS (
  SELECT f.pool_no, f.facing_no, h.is_lent, h.minute, median(h.value) AS poa
  FROM (SELECT DISTINCT pool_no, facing_no FROM roll_area) AS f
  JOIN roll_healthy AS h
    ON h.pool_no = f.pool_no AND coalesce(h.facing_no = f.facing_no, true)
  WHERE h.quantity = 'poa'
  GROUP BY f.pool_no, f.facing_no, h.is_lent, h.minute
),
wide AS (
  SELECT pool_no, minute, median(value) FILTER (quantity = 'ghi' AND NOT is_lent) AS ghi,
    median(value) FILTER (quantity = 'dni' AND NOT is_lent) AS dni,
    median(value) FILTER (quantity = 'dhi' AND NOT is_lent) AS dhi,
    median(value) FILTER (quantity = 'ambient' AND NOT is_lent) AS ambient,
    median(value) FILTER (quantity = 'module' AND NOT is_lent) AS module,
    median(value) FILTER (quantity = 'wind' AND NOT is_lent) AS wind
  FROM roll_healthy
  GROUP BY pool_no, minute
),
lent AS (
  SELECT pool_no, minute, median(value) FILTER (quantity = 'ghi') AS ghi,
    median(value) FILTER (quantity = 'dni') AS dni, median(value) FILTER (quantity = 'dhi') AS dhi,
    median(value) FILTER (quantity = 'ambient') AS ambient,
    median(value) FILTER (quantity = 'wind') AS wind
  FROM roll_healthy
  WHERE is_lent
  GROUP BY pool_no, minute
),
own AS (
  SELECT a.area_no, a.pool_no, a.facing_no, w.minute, coalesce(n.poa, f.poa) AS poa,
    coalesce(n.ghi, w.ghi) AS ghi, coalesce(n.dni, w.dni) AS dni, coalesce(n.dhi, w.dhi) AS dhi,
    coalesce(n.ambient, w.ambient) AS ambient, coalesce(n.module, w.module) AS module,
    coalesce(n.wind, w.wind) AS wind
  FROM wide AS w
  JOIN roll_area AS a ON a.pool_no = w.pool_no
  LEFT JOIN near AS n ON n.block_no = a.block_no AND n.minute = w.minute
  LEFT JOIN faced AS f
    ON f.pool_no = a.pool_no AND f.facing_no IS NOT DISTINCT FROM a.facing_no
      AND f.minute = w.minute AND NOT f.is_lent
  WHERE a.area_no IN (SELECT area_no FROM roll_cell)
),
asked AS (
  SELECT *, module IS NULL AND ambient IS NULL AS lacks_air,
    poa IS NULL AND (
      facing_no IS NULL
      OR (ghi IS NULL)::INTEGER + (dni IS NULL)::INTEGER + (dhi IS NULL)::INTEGER > 1
    ) AS lacks_light
  FROM own
)
SELECT o.area_no, o.minute, if(o.lacks_light, f.poa, o.poa) AS poa,
  coalesce(o.ghi, if(o.lacks_light, l.ghi, NULL)) AS ghi,
  coalesce(o.dni, if(o.lacks_light, l.dni, NULL)) AS dni,
  coalesce(o.dhi, if(o.lacks_light, l.dhi, NULL)) AS dhi,
  if(o.lacks_air, l.ambient, o.ambient) AS ambient, o.module,
  coalesce(o.wind, if(o.lacks_air, l.wind, NULL)) AS wind, o.lacks_light OR o.lacks_air AS is_lent
FROM asked AS o
LEFT JOIN lent AS l ON l.pool_no = o.pool_no AND l.minute = o.minute
LEFT JOIN faced AS f
  ON f.pool_no = o.pool_no AND f.facing_no IS NOT DISTINCT FROM o.facing_no
    AND f.minute = o.minute AND f.is_lent;
