-- What operators declare lost, and how much: soiling and snow. Such an override sets no state.
ALTER TABLE state_override ADD COLUMN loss VARCHAR;
ALTER TABLE state_override ADD COLUMN share DOUBLE;

-- What other losses are made of, and what nothing was measured of.
ALTER TABLE inverter_day ADD COLUMN grid_wh DOUBLE;
ALTER TABLE inverter_day ADD COLUMN dc_wh DOUBLE;
ALTER TABLE inverter_day ADD COLUMN derate_wh DOUBLE;
ALTER TABLE inverter_day ADD COLUMN snow_wh DOUBLE;
ALTER TABLE inverter_day ADD COLUMN soiling_wh DOUBLE;
ALTER TABLE inverter_day ADD COLUMN unmeasured_wh DOUBLE;

-- Where the energy of an inverter went, [from_us, to_us), with what tells of it.
CREATE TABLE inverter_loss (
  day INTEGER, sensor_no INTEGER, from_us BIGINT, to_us BIGINT, part VARCHAR, energy_wh DOUBLE,
  evidence VARCHAR, detail VARCHAR
);

-- States and losses are judged by more evidence: every day is worked out anew.
INSERT INTO inverter_stale
SELECT DISTINCT s.site_no, d.day
FROM inverter_day AS d
JOIN sensor AS s USING (sensor_no)
ORDER BY s.site_no, d.day;
