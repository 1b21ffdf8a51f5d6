-- What a plant should have done and how available it was: parameters, states, each inverter's days.

-- pv and grid are JSON of model/pv.ts; event_tag names the tag of its event word.
ALTER TABLE device ADD COLUMN device_model VARCHAR;
ALTER TABLE device ADD COLUMN event_tag VARCHAR;
ALTER TABLE device ADD COLUMN pv VARCHAR;
ALTER TABLE device ADD COLUMN grid VARCHAR;

-- What devices of one make have in common; pv, status and events are JSON of model/pv.ts and
-- model/availability.ts.
CREATE TABLE device_model (
  id VARCHAR, site_no INTEGER, key VARCHAR, pv VARCHAR, status VARCHAR, events VARCHAR
);

-- What the modules could give beyond an inverter's rating, beside the model of its power.
ALTER TABLE reading ADD COLUMN clipped DOUBLE;
ALTER TABLE quarter ADD COLUMN clipped DOUBLE;

-- One row an inverter (its sensor) and local day, of daylight only. basis_s: seconds whose state is
-- known. Energies are in Wh; the lost ones are parts of expected_wh.
CREATE TABLE inverter_day (
  day INTEGER, sensor_no INTEGER, daylight_s DOUBLE, basis_s DOUBLE, unavailable_s DOUBLE,
  expected_wh DOUBLE, produced_wh DOUBLE, unavailable_wh DOUBLE, curtailed_wh DOUBLE,
  clipped_wh DOUBLE
);

-- The states of an inverter over its daylight, [from_us, to_us), in order. unavailable: how much of
-- the span counts as unavailable, 0 to 1; null where the state is unknown.
CREATE TABLE inverter_state (
  day INTEGER, sensor_no INTEGER, from_us BIGINT, to_us BIGINT, state VARCHAR, evidence VARCHAR,
  detail VARCHAR, unavailable DOUBLE
);

-- Local days of a site whose inverters' states and losses are to be worked out anew.
CREATE TABLE inverter_stale (site_no INTEGER, day INTEGER);

-- An operator's word on the state of some inverters, [from_us, to_us).
CREATE TABLE state_override (
  id VARCHAR, project_no INTEGER, hierarchy_ids VARCHAR[], state VARCHAR,
  from_us BIGINT, to_us BIGINT, reason VARCHAR, author VARCHAR, created_at BIGINT
);

-- Sums and amounts beside sent expected values, and what setpoints do to them, follow new rules.
INSERT INTO stale
SELECT DISTINCT s.tag_no, q.quarter // 96
FROM quarter AS q
JOIN sensor AS s USING (sensor_no)
WHERE s.project_no IN (SELECT project_no FROM tag WHERE lane = 'model');

-- The inverters' days of before.
INSERT INTO inverter_stale
SELECT DISTINCT s.site_no, d.day
FROM daily AS d
JOIN sensor AS s USING (sensor_no)
SEMI JOIN (SELECT site_no FROM device WHERE type = 'inverter') AS i USING (site_no);
