-- An empty list of expected values.
CREATE OR REPLACE TEMP TABLE roll_model (sensor_no INTEGER, minute INTEGER, model DOUBLE);
