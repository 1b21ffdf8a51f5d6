-- The weather of each area and minute: the median of its own healthy sensors, else its pool's.
CREATE OR REPLACE TEMP TABLE roll_sky AS
WITH near AS (
  SELECT area_no, minute, median(value) FILTER (quantity = 'poa') AS poa,
    median(value) FILTER (quantity = 'ghi') AS ghi, median(value) FILTER (quantity = 'dni') AS dni,
    median(value) FILTER (quantity = 'dhi') AS dhi,
    median(value) FILTER (quantity = 'ambient') AS ambient,
    median(value) FILTER (quantity = 'module') AS module,
    median(value) FILTER (quantity = 'wind') AS wind
  FROM roll_healthy
  GROUP BY area_no, minute
),
wide AS (
  SELECT pool_no, minute, median(value) FILTER (quantity = 'poa') AS poa,
    median(value) FILTER (quantity = 'ghi') AS ghi, median(value) FILTER (quantity = 'dni') AS dni,
    median(value) FILTER (quantity = 'dhi') AS dhi,
    median(value) FILTER (quantity = 'ambient') AS ambient,
    median(value) FILTER (quantity = 'module') AS module,
    median(value) FILTER (quantity = 'wind') AS wind
  FROM roll_healthy
  GROUP BY pool_no, minute
)
SELECT a.area_no, w.minute, coalesce(n.poa, w.poa) AS poa, coalesce(n.ghi, w.ghi) AS ghi,
  coalesce(n.dni, w.dni) AS dni, coalesce(n.dhi, w.dhi) AS dhi,
  coalesce(n.ambient, w.ambient) AS ambient, coalesce(n.module, w.module) AS module,
  coalesce(n.wind, w.wind) AS wind
FROM wide AS w
JOIN roll_area AS a ON a.pool_no = w.pool_no
LEFT JOIN near AS n ON n.area_no = a.area_no AND n.minute = w.minute
WHERE a.area_no IN (SELECT area_no FROM roll_cell);
