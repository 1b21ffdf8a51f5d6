-- Whether anything is computed outside SQL, any sensor has a model, any setpoint reaches one, any
-- counter has one.
SELECT
  (SELECT count(*) FROM roll_lane) > 0 AS has_jobs,
  (SELECT count(*) FROM roll_sensor WHERE computed OR model_tag_no IS NOT NULL) > 0
    AS has_models,
  (SELECT count(*) FROM roll_source) > 0 AS has_setpoints,
  (
    SELECT count(*)
    FROM roll_sensor
    WHERE how = 'counter' AND (family IS NOT NULL OR model_tag_no IS NOT NULL)
  ) > 0 AS has_spans;
