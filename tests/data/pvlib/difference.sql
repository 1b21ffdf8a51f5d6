-- How far the service is from pvlib at worst, by quantity and by whether the sun is a degree up.
WITH found AS (
  SELECT
    year.*,
    view.* EXCLUDE (row),
    pv_transpose(
      ghi, dni, dhi, sun_extra, cos_zenith, fixed_cos_aoi, fixed_cos_tilt, albedo, false
    ) AS fixed_isotropic_found,
    pv_transpose(
      ghi, dni, dhi, sun_extra, cos_zenith, fixed_cos_aoi, fixed_cos_tilt, albedo, true
    ) AS fixed_hay_davies_found,
    pv_transpose(
      ghi, dni, dhi, sun_extra, cos_zenith, tracker_cos_aoi, tracker_cos_tilt, albedo, false
    ) AS tracker_isotropic_found,
    pv_transpose(
      ghi, dni, dhi, sun_extra, cos_zenith, tracker_cos_aoi, tracker_cos_tilt, albedo, true
    ) AS tracker_hay_davies_found,
    pv_cell_faiman(
      fixed_hay_davies_found, ambient, wind, $faiman_u0::DOUBLE, $faiman_u1::DOUBLE
    ) AS faiman_found,
    pv_cell_sapm(
      fixed_hay_davies_found, ambient, wind, $sapm_a::DOUBLE, $sapm_b::DOUBLE, $sapm_delta_t::DOUBLE
    ) AS sapm_found,
    pv_cell_pvsyst(
      fixed_hay_davies_found, ambient, wind, $pvsyst_u_c::DOUBLE, $pvsyst_u_v::DOUBLE,
      $pvsyst_module_efficiency::DOUBLE, $pvsyst_absorption::DOUBLE
    ) AS pvsyst_found,
    (1.0 - $losses::DOUBLE) * pv_dc(
      fixed_hay_davies_found, faiman_found, $rated_dc_w::DOUBLE, $gamma::DOUBLE
    ) AS dc_found,
    least(
      pv_inverter(dc_found, $rated_ac_w::DOUBLE, $efficiency::DOUBLE), $rated_ac_w::DOUBLE
    ) AS fixed_ac_found,
    (1.0 - $losses::DOUBLE) * pv_dc(
      tracker_hay_davies_found,
      pv_cell_faiman(
        tracker_hay_davies_found, ambient, wind, $faiman_u0::DOUBLE, $faiman_u1::DOUBLE
      ),
      $rated_dc_w::DOUBLE, $gamma::DOUBLE
    ) AS tracker_dc_found,
    least(
      pv_inverter(tracker_dc_found, $rated_ac_w::DOUBLE, $efficiency::DOUBLE), $rated_ac_w::DOUBLE
    ) AS tracker_ac_found
  FROM year
  JOIN view USING (row)
), off AS (
  SELECT
    site, minute, zenith < 89 AS up,
    abs(sun_zenith - zenith) AS zenith,
    abs((sun_azimuth - azimuth + 540) % 360 - 180) * sin(radians(zenith)) AS azimuth,
    abs(sun_extra - extra) AS extra,
    abs(fixed_isotropic_found - fixed_isotropic) AS fixed_isotropic,
    abs(fixed_hay_davies_found - fixed_hay_davies) AS fixed_hay_davies,
    abs(tracker_isotropic_found - tracker_isotropic) AS tracker_isotropic,
    abs(tracker_hay_davies_found - tracker_hay_davies) AS tracker_hay_davies,
    abs(faiman_found - faiman) AS faiman,
    abs(sapm_found - sapm) AS sapm,
    abs(pvsyst_found - pvsyst) AS pvsyst,
    abs(dc_found - dc) AS dc,
    abs(fixed_ac_found - fixed_ac) AS fixed_ac,
    abs(tracker_ac_found - tracker_ac) AS tracker_ac
  FROM found
), long AS (
  UNPIVOT off ON COLUMNS(* EXCLUDE (site, minute, up)) INTO NAME quantity VALUE distance
)
SELECT
  quantity, up, max(distance) AS worst, arg_max(site, distance)::INTEGER AS site,
  strftime(make_timestamp(arg_max(minute, distance) * 60000000), '%Y-%m-%dT%H:%MZ') AS at
FROM long
GROUP BY quantity, up
ORDER BY up DESC, quantity;
