-- What differs between the readings as computed and as stored, by (local day, sensor, minute).
-- Where no setpoint makes a difference, its values are left out.
CREATE OR REPLACE TEMP TABLE roll_reading_change AS
WITH stored AS (
  SELECT day, sensor_no, minute, light, value, model,
    coalesce(value_setpoint, value) AS value_setpoint,
    coalesce(model_setpoint, model) AS model_setpoint, clipped, storage, span_before, span_after,
    broken
  FROM reading
  SEMI JOIN roll_unit AS u
    ON u.sensor_no = reading.sensor_no AND u.quarter = reading.minute // 15
  WHERE reading.minute BETWEEN $from_minute AND $to_minute
)
SELECT roll_op(o.day, f.day) AS op, coalesce(f.day, o.day) AS day, sensor_no, minute, f.light,
  f.value, f.model, nullif(f.value_setpoint, f.value) AS value_setpoint,
  nullif(f.model_setpoint, f.model) AS model_setpoint, f.clipped, f.storage,
  f.span_before, f.span_after, f.broken
FROM (FROM roll_reading WHERE NOT fresh) AS f
FULL JOIN stored AS o USING (sensor_no, minute)
WHERE o.day IS DISTINCT FROM f.day OR o.light IS DISTINCT FROM f.light
  OR roll_differs(o.value, f.value) OR roll_differs(o.model, f.model)
  OR roll_differs(o.value_setpoint, f.value_setpoint)
  OR roll_differs(o.model_setpoint, f.model_setpoint) OR roll_differs(o.clipped, f.clipped)
  OR roll_differs(o.storage, f.storage) OR o.broken IS DISTINCT FROM f.broken
  OR o.span_before IS DISTINCT FROM f.span_before OR o.span_after IS DISTINCT FROM f.span_after
ORDER BY day, sensor_no, minute;
