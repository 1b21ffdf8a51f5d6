-- Whether any sensor's values come from outside SQL, any has a model, any setpoint reaches one.
SELECT
  coalesce(bool_or(how <> 'plain' OR (over_time = 'increment' AND model_tag_no IS NOT NULL)), false)
    AS has_jobs,
  coalesce(bool_or(computed OR model_tag_no IS NOT NULL), false) AS has_models,
  (SELECT count(*) FROM roll_source) > 0 AS has_setpoints
FROM roll_sensor;
