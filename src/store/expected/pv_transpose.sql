-- Irradiance in the plane of array, W/m2, under Hay and Davies' sky (1980) or an isotropic one.
-- The floor under cos_zenith keeps a sun on the horizon from blowing up the circumsolar part.
CREATE OR REPLACE TEMP MACRO pv_transpose(
  ghi, dni, dhi, extra, cos_zenith, cos_aoi, cos_tilt, albedo, hay
) AS
  dni * pv_positive(cos_aoi)
  + ghi * albedo * (1.0 - cos_tilt) / 2.0
  + CASE
      WHEN hay THEN
        pv_positive(dhi * (1.0 - dni / extra)) * (1.0 + cos_tilt) / 2.0
        + dhi * dni / extra * pv_positive(cos_aoi) / greatest(cos_zenith, 0.01745)
      ELSE dhi * (1.0 + cos_tilt) / 2.0
    END;
