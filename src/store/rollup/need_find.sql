-- What the plant has need of: is anything computed outside SQL, is or was anything a counter, has
-- any sensor a model, does any setpoint reach one, has any counter one, is or was any weather lent,
-- is anything sealed. A row for each that holds: as columns of one row, they would be joined, which
-- takes forty times as long to plan.
SELECT 'has_jobs' AS need WHERE EXISTS (FROM roll_lane)
UNION ALL
SELECT 'has_counters' WHERE EXISTS (FROM roll_lane WHERE how = 'counter')
UNION ALL
SELECT 'has_counters' WHERE EXISTS (FROM counter_event)
UNION ALL
SELECT 'has_models'
WHERE EXISTS (FROM roll_sensor WHERE has_point OR model_tag_no IS NOT NULL)
UNION ALL
SELECT 'has_setpoints' WHERE EXISTS (FROM roll_source)
UNION ALL
SELECT 'has_spans'
WHERE EXISTS (
  FROM roll_sensor
  WHERE how = 'counter' AND (family IS NOT NULL OR model_tag_no IS NOT NULL)
)
UNION ALL
SELECT 'has_fallbacks' WHERE EXISTS (FROM roll_weather WHERE is_lent)
UNION ALL
SELECT 'has_fallbacks' WHERE EXISTS (FROM lent_quarter)
UNION ALL
SELECT 'has_seals' WHERE EXISTS (FROM horizon);
