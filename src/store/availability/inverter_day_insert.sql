-- Stores new days of inverters, in the order in which the changes lie.
INSERT INTO inverter_day (
  day, sensor_no, daylight_s, basis_s, unavailable_s, expected_wh, produced_wh, unavailable_wh,
  curtailed_wh, clipped_wh, grid_wh, dc_wh, derate_wh, snow_wh, soiling_wh, unmeasured_wh
)
SELECT day, sensor_no, daylight_s, basis_s, unavailable_s, expected_wh, produced_wh,
  unavailable_wh, curtailed_wh, clipped_wh, grid_wh, dc_wh, derate_wh, snow_wh, soiling_wh,
  unmeasured_wh
FROM inverter_day_change
WHERE fresh;
