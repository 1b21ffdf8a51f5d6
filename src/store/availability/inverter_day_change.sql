-- What differs between days of inverters as computed and as stored.
CREATE OR REPLACE TEMP TABLE inverter_day_change AS
SELECT f.*, o.day IS NULL AS fresh
FROM inverter_fresh_day AS f
LEFT JOIN inverter_day AS o
  ON o.day = f.day AND o.sensor_no = f.sensor_no AND o.day BETWEEN $from_day AND $to_day
WHERE o.day IS NULL
  OR o.daylight_s IS DISTINCT FROM f.daylight_s
  OR o.basis_s IS DISTINCT FROM f.basis_s
  OR o.unavailable_s IS DISTINCT FROM f.unavailable_s
  OR o.expected_wh IS DISTINCT FROM f.expected_wh
  OR o.produced_wh IS DISTINCT FROM f.produced_wh
  OR o.unavailable_wh IS DISTINCT FROM f.unavailable_wh
  OR o.curtailed_wh IS DISTINCT FROM f.curtailed_wh
  OR o.clipped_wh IS DISTINCT FROM f.clipped_wh
  OR o.grid_wh IS DISTINCT FROM f.grid_wh
  OR o.dc_wh IS DISTINCT FROM f.dc_wh
  OR o.derate_wh IS DISTINCT FROM f.derate_wh
  OR o.snow_wh IS DISTINCT FROM f.snow_wh
  OR o.soiling_wh IS DISTINCT FROM f.soiling_wh
  OR o.unmeasured_wh IS DISTINCT FROM f.unmeasured_wh
ORDER BY f.day, f.sensor_no;
