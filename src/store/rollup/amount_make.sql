-- An empty list of measured minute values that are worked out outside SQL.
CREATE OR REPLACE TEMP TABLE roll_amount (
  sensor_no INTEGER, minute INTEGER, value DOUBLE
);
