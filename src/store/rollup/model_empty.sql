-- An empty list of expected values, and of what is clipped beside them.
CREATE OR REPLACE TEMP TABLE roll_model (
  sensor_no INTEGER, minute INTEGER, model DOUBLE, clipped DOUBLE
);
