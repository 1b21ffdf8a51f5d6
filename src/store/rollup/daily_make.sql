-- The local days that hold quarter-hours to be computed, from those and from the stored others.
-- covered: the minutes of daylight that matched values stand for, which are these themselves where
-- a value comes each minute.
CREATE OR REPLACE TEMP TABLE roll_daily AS
WITH part AS (
  SELECT day, sensor_no, light, n, value, minimum, maximum, last, last_minute, value_setpoint,
    model_n, model, model_setpoint, heard, modelled, value_matched, model_matched,
    model_setpoint_matched
  FROM roll_sum
  UNION ALL
  SELECT q.day, q.sensor_no, q.light, q.n, q.value, q.minimum, q.maximum, q.last, q.last_minute,
    coalesce(q.value_setpoint, q.value), q.model_n, q.model, coalesce(q.model_setpoint, q.model),
    q.heard, q.modelled, q.value_matched, q.model_matched,
    coalesce(q.model_setpoint_matched, q.model_matched)
  FROM quarter AS q
  SEMI JOIN roll_unit AS d ON d.sensor_no = q.sensor_no AND d.day = q.day
  ANTI JOIN roll_unit AS u ON u.sensor_no = q.sensor_no AND u.quarter = q.quarter
  WHERE q.day BETWEEN $from_day AND $to_day
)
SELECT day, sensor_no, light, sum(n)::INTEGER AS n, sum(value) AS value, min(minimum) AS minimum,
  max(maximum) AS maximum, arg_max(last, last_minute) AS last, max(last_minute) AS last_minute,
  sum(value_setpoint) AS value_setpoint, sum(model_n)::INTEGER AS model_n, sum(model) AS model,
  sum(model_setpoint) AS model_setpoint, sum(bit_count(heard & modelled))::INTEGER AS matched_n,
  sum(value_matched) AS value_matched, sum(model_matched) AS model_matched,
  sum(model_setpoint_matched) AS model_setpoint_matched, if(light, matched_n, NULL) AS covered
FROM part
GROUP BY day, sensor_no, light;
