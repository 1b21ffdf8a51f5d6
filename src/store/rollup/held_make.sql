-- An empty list of minute values of active setpoints.
CREATE OR REPLACE TEMP TABLE roll_held (
  sensor_no INTEGER, minute INTEGER, value DOUBLE
);
