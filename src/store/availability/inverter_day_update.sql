-- Changes stored days of inverters, in place.
UPDATE inverter_day AS t
SET daylight_s = c.daylight_s, basis_s = c.basis_s, unavailable_s = c.unavailable_s,
  expected_wh = c.expected_wh, produced_wh = c.produced_wh, unavailable_wh = c.unavailable_wh,
  curtailed_wh = c.curtailed_wh, clipped_wh = c.clipped_wh,
  grid_wh = c.grid_wh, dc_wh = c.dc_wh, derate_wh = c.derate_wh, snow_wh = c.snow_wh,
  soiling_wh = c.soiling_wh, unmeasured_wh = c.unmeasured_wh
FROM inverter_day_change AS c
WHERE NOT c.fresh
  AND t.day = c.day
  AND t.sensor_no = c.sensor_no
  AND t.day BETWEEN $from_day AND $to_day;
