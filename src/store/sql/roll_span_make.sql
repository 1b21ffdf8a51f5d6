-- The local days of the quarter-hours to be worked out.
CREATE OR REPLACE TEMP TABLE roll_span AS
SELECT DISTINCT sensor_no, day
FROM roll_unit;
