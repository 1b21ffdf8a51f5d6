-- The quarter-hours of the readings that were worked out.
CREATE OR REPLACE TEMP TABLE roll_sum AS
SELECT day, sensor_no, minute // 15 AS quarter, light, count(value)::INTEGER AS n,
  sum(value) AS value, min(value) AS minimum, max(value) AS maximum, arg_max(value, minute) AS last,
  max(minute) FILTER (value IS NOT NULL) AS last_minute, sum(value_setpoint) AS value_setpoint,
  count(model)::INTEGER AS model_n, sum(model) AS model, sum(model_setpoint) AS model_setpoint,
  sum(clipped) AS clipped
FROM roll_reading
GROUP BY day, sensor_no, quarter, light;
