-- Whether anything is computed outside SQL, anything is or was a counter, any sensor has a model,
-- any setpoint reaches one, any counter has one, any weather is or was lent, anything is sealed.
SELECT
  (SELECT count(*) FROM roll_lane) > 0 AS has_jobs,
  (SELECT count(*) FROM roll_lane WHERE how = 'counter')
    + (SELECT count(*) FROM counter_event) > 0 AS has_counters,
  (SELECT count(*) FROM roll_sensor WHERE has_point OR model_tag_no IS NOT NULL) > 0
    AS has_models,
  (SELECT count(*) FROM roll_source) > 0 AS has_setpoints,
  (
    SELECT count(*)
    FROM roll_sensor
    WHERE how = 'counter' AND (family IS NOT NULL OR model_tag_no IS NOT NULL)
  ) > 0 AS has_spans,
  (SELECT count(*) FROM roll_weather WHERE is_lent)
    + (SELECT count(*) FROM lent_quarter) > 0 AS has_fallbacks,
  (SELECT count(*) FROM horizon) > 0 AS has_seals;
