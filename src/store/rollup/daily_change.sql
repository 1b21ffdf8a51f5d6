-- What differs between the local days as computed and as stored, by (local day, sensor).
CREATE OR REPLACE TEMP TABLE roll_daily_change AS
WITH stored AS (
  SELECT day, sensor_no, light, n, value, minimum, maximum, last, last_minute, value_setpoint,
    model_n, model, model_setpoint, matched_n, value_matched, model_matched,
    model_setpoint_matched, covered
  FROM daily
  SEMI JOIN roll_unit AS d ON d.sensor_no = daily.sensor_no AND d.day = daily.day
  WHERE daily.day BETWEEN $from_day AND $to_day
)
SELECT roll_op(o.n, f.n) AS op,
  day, sensor_no, light, f.n, f.value, f.minimum, f.maximum, f.last, f.last_minute,
  f.value_setpoint, f.model_n, f.model, f.model_setpoint, f.matched_n, f.value_matched,
  f.model_matched, f.model_setpoint_matched, f.covered
FROM (SELECT *, n * greatest(abs(minimum), abs(maximum)) AS size FROM roll_daily) AS f
FULL JOIN stored AS o USING (day, sensor_no, light)
WHERE o.n IS DISTINCT FROM f.n OR o.last_minute IS DISTINCT FROM f.last_minute
  OR o.model_n IS DISTINCT FROM f.model_n OR roll_sum_differs(o.value, f.value, f.size)
  OR roll_differs(o.minimum, f.minimum) OR roll_differs(o.maximum, f.maximum)
  OR roll_differs(o.last, f.last)
  OR roll_sum_differs(o.value_setpoint, f.value_setpoint, f.size)
  OR roll_differs(o.model, f.model) OR roll_differs(o.model_setpoint, f.model_setpoint)
  OR o.matched_n IS DISTINCT FROM f.matched_n OR o.covered IS DISTINCT FROM f.covered
  OR roll_sum_differs(o.value_matched, f.value_matched, f.size)
  OR roll_differs(o.model_matched, f.model_matched)
  OR roll_differs(o.model_setpoint_matched, f.model_setpoint_matched)
ORDER BY day, sensor_no, light;
