-- Expected power of inverters that are alike, by node and minute of light; clipped: what modules
-- could give beyond the rating. A sent value wins.
CREATE OR REPLACE TEMP TABLE roll_yield AS
WITH direct AS (
  SELECT k.node_no, w.minute, k.rated_ac_w, k.efficiency, k.curve_no,
    pv_dc(w.poa, w.celsius, k.rated_dc_w, k.gamma) * (1 - k.losses) AS dc
  FROM roll_warm AS w
  JOIN roll_kind AS k USING (cell_no)
  WHERE w.celsius IS NOT NULL
),
turned AS (
  SELECT node_no, minute, rated_ac_w, pv_inverter(dc, rated_ac_w, efficiency) AS ac
  FROM direct
  WHERE curve_no IS NULL
  UNION ALL
  SELECT node_no, minute, rated_ac_w, pv_curve(dc, rated_ac_w, efficiency, c.curve) AS ac
  FROM direct
  JOIN (SELECT curve_no, curve::DOUBLE[][] AS curve FROM roll_curve) AS c USING (curve_no)
),
sent AS (
  SELECT t.node_no, s.minute, s.model
  FROM roll_sent AS s
  JOIN roll_stated AS t USING (sensor_no)
)
SELECT node_no, minute, minute // 15 AS quarter, least(ac, rated_ac_w) AS model,
  greatest(ac - rated_ac_w, 0) AS clipped
FROM turned
ANTI JOIN sent USING (node_no, minute)
UNION ALL
SELECT node_no, minute, minute // 15, model, NULL
FROM sent;
