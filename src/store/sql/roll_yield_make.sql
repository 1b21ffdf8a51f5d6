-- Expected power of inverters that are alike, by node and minute of light; clipped: what the modules
-- could give beyond the rating. A sent value wins. Of two irradiances follows the third, with the
-- sun held over 3 degrees where the quotient blows up. Cells are as warm as modules were measured,
-- else by model, else (no wind) 25 K over the air at 800 W/m2.
CREATE OR REPLACE TEMP TABLE roll_yield AS
WITH sunny AS (
  SELECT s.area_no, s.minute, n.plane_no, n.cos_aoi, n.cos_tilt, n.cos_zenith, n.extra_w_m2 AS extra,
    coalesce(s.ghi, s.dhi + s.dni * greatest(n.cos_zenith, 0)) AS ghi,
    coalesce(
      s.dni, least(greatest(s.ghi - s.dhi, 0) / greatest(n.cos_zenith, 0.0523), n.extra_w_m2)
    ) AS dni,
    coalesce(s.dhi, greatest(s.ghi - s.dni * greatest(n.cos_zenith, 0), 0)) AS dhi
  FROM roll_sun AS n
  JOIN (SELECT DISTINCT area_no, plane_no FROM roll_kind) AS k ON k.plane_no = n.plane_no
  JOIN roll_sky AS s ON s.area_no = k.area_no AND s.minute = n.minute AND s.poa IS NULL
),
lit AS (
  SELECT k.node_no, s.minute, k.cell, k.cell_a, k.cell_b, k.cell_c, k.cell_d, k.gamma,
    k.rated_dc_w * (1 - k.losses) AS dc_w, k.rated_ac_w, k.efficiency, k.curve_no, s.ambient,
    s.module, s.wind,
    coalesce(
      s.poa,
      pv_transpose(
        n.ghi, n.dni, n.dhi, n.extra, n.cos_zenith, n.cos_aoi, n.cos_tilt, k.albedo, k.hay
      )
    ) AS poa
  FROM roll_sky AS s
  JOIN roll_kind AS k ON k.area_no = s.area_no
  LEFT JOIN sunny AS n
    ON n.area_no = s.area_no AND n.plane_no = k.plane_no AND n.minute = s.minute
),
warm AS (
  SELECT node_no, minute, poa, dc_w, gamma, rated_ac_w, efficiency, curve_no,
    coalesce(
      module,
      CASE
        WHEN wind IS NULL THEN ambient + poa / 800 * 25
        WHEN cell = 'faiman' THEN pv_cell_faiman(poa, ambient, wind, cell_a, cell_b)
        WHEN cell = 'sapm' THEN pv_cell_sapm(poa, ambient, wind, cell_a, cell_b, cell_c)
        ELSE pv_cell_pvsyst(poa, ambient, wind, cell_a, cell_b, cell_c, cell_d)
      END
    ) AS cell
  FROM lit
),
direct AS (
  SELECT node_no, minute, rated_ac_w, efficiency, curve_no, pv_dc(poa, cell, dc_w, gamma) AS dc
  FROM warm
),
turned AS (
  SELECT d.node_no, d.minute, d.rated_ac_w,
    CASE
      WHEN c.curve_no IS NULL THEN pv_inverter(d.dc, d.rated_ac_w, d.efficiency)
      ELSE pv_curve(d.dc, d.rated_ac_w, d.efficiency, c.curve)
    END AS ac
  FROM direct AS d
  LEFT JOIN (SELECT curve_no, curve::DOUBLE[][] AS curve FROM roll_curve) AS c
    ON c.curve_no = d.curve_no
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
WHERE isfinite(ac)
UNION ALL
SELECT node_no, minute, minute // 15, model, NULL
FROM sent;
