-- Stores new states, in the order in which the changes lie.
INSERT INTO inverter_state (day, sensor_no, from_us, to_us, state, evidence, detail, unavailable)
SELECT day, sensor_no, from_us, to_us, state, evidence, detail, unavailable
FROM inverter_state_change
WHERE op = 'insert';
