-- What differs between the quarter-hours as computed and as stored, by (local day, sensor, time).
-- Where no setpoint makes a difference, its values are left out.
CREATE OR REPLACE TEMP TABLE roll_quarter_change AS
WITH stored AS (
  SELECT day, sensor_no, quarter, light, n, value, minimum, maximum, last, last_minute,
    coalesce(value_setpoint, value) AS value_setpoint, model_n, model,
    coalesce(model_setpoint, model) AS model_setpoint, clipped, heard, modelled, value_matched,
    model_matched, coalesce(model_setpoint_matched, model_matched) AS model_setpoint_matched
  FROM quarter
  SEMI JOIN roll_unit AS u ON u.sensor_no = quarter.sensor_no AND u.quarter = quarter.quarter
  WHERE quarter.quarter BETWEEN $from_minute::INTEGER // 15 AND $to_minute::INTEGER // 15
)
SELECT roll_op(o.day, f.day) AS op, coalesce(f.day, o.day) AS day, sensor_no, quarter, light, f.n,
  f.value, f.minimum, f.maximum, f.last, f.last_minute,
  nullif(f.value_setpoint, f.value) AS value_setpoint, f.model_n, f.model,
  nullif(f.model_setpoint, f.model) AS model_setpoint, f.clipped, f.heard, f.modelled,
  f.value_matched, f.model_matched,
  nullif(f.model_setpoint_matched, f.model_matched) AS model_setpoint_matched
FROM (
  SELECT *, n * greatest(abs(minimum), abs(maximum)) AS size FROM roll_sum WHERE NOT fresh
) AS f
FULL JOIN stored AS o USING (sensor_no, quarter, light)
WHERE o.day IS DISTINCT FROM f.day OR o.n <> f.n OR o.last_minute IS DISTINCT FROM f.last_minute
  OR o.model_n <> f.model_n OR roll_sum_differs(o.value, f.value, f.size)
  OR roll_differs(o.minimum, f.minimum) OR roll_differs(o.maximum, f.maximum)
  OR roll_differs(o.last, f.last)
  OR roll_sum_differs(o.value_setpoint, f.value_setpoint, f.size)
  OR roll_differs(o.model, f.model) OR roll_differs(o.model_setpoint, f.model_setpoint)
  OR roll_differs(o.clipped, f.clipped) OR o.heard IS DISTINCT FROM f.heard
  OR o.modelled IS DISTINCT FROM f.modelled
  OR roll_sum_differs(o.value_matched, f.value_matched, f.size)
  OR roll_differs(o.model_matched, f.model_matched)
  OR roll_differs(o.model_setpoint_matched, f.model_setpoint_matched)
ORDER BY day, sensor_no, quarter, light;
