-- The quarter-hours of the readings that were computed. Where nothing is expected in the dark, it
-- is in every minute of a quarter-hour, however seldom the sensor sends: by day a model is there
-- each minute, and means over both weigh them by their number. Of whole ones the sums are made
-- already.
CREATE OR REPLACE TEMP TABLE roll_sum AS
SELECT u.day, u.fresh, s.sensor_no, s.quarter, s.light, s.n, s.value, s.minimum, s.maximum, s.last,
  s.last_minute, s.value_setpoint,
  CASE
    WHEN u.computed AND NOT s.light AND s.model_n > 0
    THEN 15 - bit_count(u.light)
    ELSE s.model_n
  END::INTEGER AS model_n,
  s.model, s.model_setpoint, s.clipped, s.modelled, if(s.model_n > 0, s.heard, NULL) AS heard,
  s.value_matched, s.model_matched, s.model_setpoint_matched
FROM (
  SELECT sensor_no, minute // 15 AS quarter, light, count(value)::INTEGER AS n,
    sum(value) AS value, min(value) AS minimum, max(value) AS maximum,
    arg_max(value, minute) AS last, max(if(value IS NULL, NULL, minute)) AS last_minute,
    sum(value_setpoint) AS value_setpoint, count(model) AS model_n, sum(model) AS model,
    sum(model_setpoint) AS model_setpoint, sum(clipped) AS clipped,
    bit_or(if(value IS NULL OR broken, NULL, bit)) AS heard,
    bit_or(if(model IS NULL, NULL, bit)) AS modelled, sum(value - unlike) AS value_matched,
    sum(model - unlike) AS model_matched, sum(model_setpoint - unlike) AS model_setpoint_matched
  FROM (
    SELECT *, 1 << (minute % 15) AS bit,
      if(value IS NULL OR model IS NULL OR broken, NULL, coalesce(storage, 0)) AS unlike
    FROM roll_reading
  )
  GROUP BY sensor_no, quarter, light
  UNION ALL BY NAME
  SELECT *, value AS value_setpoint, 0 AS model_n
  FROM (
    SELECT sensor_no, minute // 15 AS quarter, light, count(*)::INTEGER AS n, sum(value) AS value,
      min(value) AS minimum, max(value) AS maximum, arg_max(value, minute) AS last,
      max(minute) AS last_minute
    FROM roll_simple
    GROUP BY sensor_no, quarter, light
    UNION ALL
    SELECT sensor_no, quarter, s.light, n, value, minimum, maximum, last,
      quarter * 15 + last_minute
    FROM roll_whole_sum AS s
    JOIN roll_whole USING (place)
  )
) AS s
JOIN roll_unit AS u USING (sensor_no, quarter);
