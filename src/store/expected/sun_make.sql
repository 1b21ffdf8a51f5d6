-- An empty list of minutes with the sun as planes see it.
CREATE OR REPLACE TEMP TABLE roll_sun (
  plane_no INTEGER, minute INTEGER, cos_zenith DOUBLE, extra_w_m2 DOUBLE, cos_aoi DOUBLE,
  cos_tilt DOUBLE
);
