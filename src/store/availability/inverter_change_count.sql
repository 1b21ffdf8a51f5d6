-- How many rows differ: new ones, and others.
SELECT
  (SELECT count(*) FILTER (fresh) FROM inverter_day_change)::INTEGER AS fresh_days,
  (SELECT count(*) FILTER (NOT fresh) FROM inverter_day_change)::INTEGER AS other_days,
  (SELECT count(*) FILTER (op = 'insert') FROM inverter_state_change)::INTEGER AS fresh_states,
  (SELECT count(*) FILTER (op <> 'insert') FROM inverter_state_change)::INTEGER AS other_states;
