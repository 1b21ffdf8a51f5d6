-- What is computed outside SQL, by sensor and lane: values that are not plain means, sent models
-- that are amounts, and a setpoint while it is active.
CREATE OR REPLACE TEMP TABLE roll_lane AS
SELECT sensor_no, 'value' AS lane, tag_no, how, scale, "offset", capacity, interval_s, interval_at,
  register_bits
FROM roll_sensor
WHERE how <> 'plain'
UNION ALL
SELECT sensor_no, 'model', model_tag_no, 'interval', scale, if(how = 'counter', 0, "offset"), NULL,
  coalesce(interval_s, 60), interval_at, NULL
FROM roll_sensor
WHERE model_tag_no IS NOT NULL AND model_factor IS NULL
UNION ALL
SELECT sensor_no, 'setpoint', tag_no, 'setpoint', scale, "offset", NULL, NULL, interval_at, NULL
FROM roll_sensor
WHERE sensor_no IN (SELECT source_no FROM roll_source);
