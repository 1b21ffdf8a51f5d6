-- An empty list of expected values under a setpoint.
CREATE OR REPLACE TEMP TABLE roll_curb (sensor_no INTEGER, minute INTEGER, model_setpoint DOUBLE);
