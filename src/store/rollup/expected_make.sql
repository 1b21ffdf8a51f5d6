-- An empty list of minute values of models that are worked out outside SQL.
CREATE OR REPLACE TEMP TABLE roll_expected (
  sensor_no INTEGER, minute INTEGER, value DOUBLE
);
