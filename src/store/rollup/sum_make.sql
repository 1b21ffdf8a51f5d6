-- The quarter-hours of the readings that were computed. Where nothing is expected in the dark, it
-- is in every minute of a quarter-hour, however seldom the sensor sends: by day a model is there
-- each minute, and means over both weigh them by their number.
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
    FROM (
      FROM roll_simple
      UNION ALL BY NAME
      SELECT w.sensor_no, (s.ts // 60000000)::INTEGER AS minute,
        (w.light >> (minute % 15)) & 1 = 1 AS light,
        if(isfinite(s.value), s.value, s.value_int::DOUBLE) * w.scale + w."offset" AS value
      FROM sample AS s
      JOIN (FROM roll_whole WHERE sensor_no IS NOT NULL) AS w
        ON w.tag_no = s.tag_no AND w.quarter = (s.ts // 900000000)::INTEGER
      WHERE s.ts >= $from_us AND s.ts < $to_us AND NOT coalesce(s.quality >= 2, false)
        AND isfinite(value)
    )
    GROUP BY sensor_no, quarter, light
  )
) AS s
JOIN roll_unit AS u USING (sensor_no, quarter);
