-- Irradiance in the plane and temperature of cells, by minute of light. Of two irradiances follows
-- the third, with the sun held over 3 degrees where the quotient blows up. Cells are as warm as
-- modules were measured, else by their model, else (no wind) 25 K over the air at 800 W/m2.
INSERT INTO roll_warm
WITH sunny AS (
  SELECT c.cell_no, s.minute, c.albedo, c.hay, n.cos_zenith, n.cos_aoi, n.cos_tilt,
    n.extra_w_m2 AS extra, greatest(n.cos_zenith, 0) AS height,
    coalesce(s.ghi, s.dhi + s.dni * height) AS ghi,
    coalesce(s.dni, least(greatest(s.ghi - s.dhi, 0) / greatest(height, 0.0523), extra)) AS dni,
    coalesce(s.dhi, greatest(s.ghi - s.dni * height, 0)) AS dhi
  FROM roll_sun AS n
  JOIN roll_cell AS c USING (plane_no)
  JOIN roll_sky AS s ON s.area_no = c.area_no AND s.minute = n.minute AND s.poa IS NULL
  WHERE (s.ghi IS NULL)::INTEGER + (s.dni IS NULL)::INTEGER + (s.dhi IS NULL)::INTEGER < 2
),
lit AS (
  SELECT c.cell_no, s.minute, c.model, c.a, c.b, c.c, c.d, s.ambient, s.module, s.wind,
    coalesce(
      s.poa,
      pv_transpose(
        n.ghi, n.dni, n.dhi, n.extra, n.cos_zenith, n.cos_aoi, n.cos_tilt, n.albedo, n.hay
      )
    ) AS poa
  FROM roll_sky AS s
  JOIN roll_cell AS c USING (area_no)
  LEFT JOIN sunny AS n ON n.cell_no = c.cell_no AND n.minute = s.minute
)
SELECT cell_no, minute, poa,
  coalesce(
    module,
    CASE
      WHEN wind IS NULL THEN ambient + poa / 800 * 25
      WHEN model = 'faiman' THEN pv_cell_faiman(poa, ambient, wind, a, b)
      WHEN model = 'sapm' THEN pv_cell_sapm(poa, ambient, wind, a, b, c)
      ELSE pv_cell_pvsyst(poa, ambient, wind, a, b, c, d)
    END
  ) AS celsius
FROM lit
WHERE poa IS NOT NULL;
