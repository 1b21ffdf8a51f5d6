-- The weather of each area and minute: the median of its block's healthy sensors, else of its
-- pool's; of those that measure in a plane, only the ones that can face its way.
CREATE OR REPLACE TEMP TABLE roll_sky AS
WITH near AS (
  SELECT block_no, minute, median(value) FILTER (quantity = 'poa') AS poa,
    median(value) FILTER (quantity = 'ghi') AS ghi, median(value) FILTER (quantity = 'dni') AS dni,
    median(value) FILTER (quantity = 'dhi') AS dhi,
    median(value) FILTER (quantity = 'ambient') AS ambient,
    median(value) FILTER (quantity = 'module') AS module,
    median(value) FILTER (quantity = 'wind') AS wind
  FROM roll_healthy
  GROUP BY block_no, minute
),
faced AS (
  SELECT f.pool_no, f.facing_no, h.minute, median(h.value) AS poa
  FROM (SELECT DISTINCT pool_no, facing_no FROM roll_area) AS f
  JOIN roll_healthy AS h
    ON h.pool_no = f.pool_no AND coalesce(h.facing_no = f.facing_no, true)
  WHERE h.quantity = 'poa'
  GROUP BY f.pool_no, f.facing_no, h.minute
),
wide AS (
  SELECT pool_no, minute, median(value) FILTER (quantity = 'ghi') AS ghi,
    median(value) FILTER (quantity = 'dni') AS dni, median(value) FILTER (quantity = 'dhi') AS dhi,
    median(value) FILTER (quantity = 'ambient') AS ambient,
    median(value) FILTER (quantity = 'module') AS module,
    median(value) FILTER (quantity = 'wind') AS wind
  FROM roll_healthy
  GROUP BY pool_no, minute
)
SELECT a.area_no, w.minute, coalesce(n.poa, f.poa) AS poa, coalesce(n.ghi, w.ghi) AS ghi,
  coalesce(n.dni, w.dni) AS dni, coalesce(n.dhi, w.dhi) AS dhi,
  coalesce(n.ambient, w.ambient) AS ambient, coalesce(n.module, w.module) AS module,
  coalesce(n.wind, w.wind) AS wind
FROM wide AS w
JOIN roll_area AS a ON a.pool_no = w.pool_no
LEFT JOIN near AS n ON n.block_no = a.block_no AND n.minute = w.minute
LEFT JOIN faced AS f
  ON f.pool_no = a.pool_no AND f.facing_no IS NOT DISTINCT FROM a.facing_no
    AND f.minute = w.minute
WHERE a.area_no IN (SELECT area_no FROM roll_cell);
