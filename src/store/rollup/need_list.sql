-- Whether anything comes from outside SQL, anything is a counter or was one, any sensor has a model,
-- any setpoint reaches one.
SELECT
  (SELECT count(*) FROM roll_lane) > 0 AS has_jobs,
  (SELECT count(*) FROM roll_lane WHERE how = 'counter') > 0
    OR (SELECT count(*) FROM counter_event) > 0 AS has_counters,
  (SELECT count(*) FROM roll_sensor WHERE computed OR model_tag_no IS NOT NULL) > 0 AS has_models,
  (SELECT count(*) FROM roll_source) > 0 AS has_setpoints;
