-- The readings of the quarter-hours to be computed that are not simple: halves that are kept as
-- stored, the others again. In the dark nothing is expected of what has a value, so that means over
-- whole days weigh value and model alike. A counter's amount over more than $spread minutes can't
-- be told apart by minute: it is broken.
CREATE OR REPLACE TEMP TABLE roll_reading AS
WITH measured AS (
  SELECT sensor_no, minute, value, NULL::INTEGER AS span_before, NULL::INTEGER AS span_after
  FROM roll_measured
  WHERE NOT simple
  UNION ALL
  SELECT sensor_no, minute, value,
    if(span_to - span_from > $close::INTEGER, minute - span_from, 0 * span_from),
    if(span_to - span_from > $close::INTEGER, span_to - minute, 0 * span_from)
  FROM roll_amount
  WHERE isfinite(value)
),
expected AS (
  SELECT sensor_no, minute, model, coalesce(model_setpoint, model) AS model_setpoint, clipped,
    storage
  FROM roll_model
  LEFT JOIN roll_curb USING (sensor_no, minute)
),
kept AS (
  SELECT r.sensor_no, r.minute, r.value, r.model,
    coalesce(r.model_setpoint, r.model) AS model_setpoint, r.clipped, r.storage, r.span_before,
    r.span_after
  FROM reading AS r
  SEMI JOIN (FROM roll_unit WHERE NOT (revalue AND remodel)) AS u
    ON u.sensor_no = r.sensor_no AND u.quarter = r.minute // 15
  WHERE r.minute BETWEEN $from_minute AND $to_minute
),
halves AS (
  SELECT u.day, u.fresh, sensor_no, minute, (u.light >> (minute % 15)) & 1 = 1 AS is_light,
    u.computed AND NOT is_light AS dark, if(u.revalue, f.value, k.value) AS value,
    if(u.remodel, e.model, if(dark AND u.revalue, NULL, k.model)) AS model,
    if(u.remodel, e.model_setpoint, if(dark AND u.revalue, NULL, k.model_setpoint))
      AS model_setpoint,
    if(u.remodel, e.clipped, k.clipped) AS clipped,
    if(u.remodel, e.storage, k.storage) AS storage,
    if(u.revalue, f.span_before, k.span_before) AS span_before,
    if(u.revalue, f.span_after, k.span_after) AS span_after
  FROM measured AS f
  FULL JOIN expected AS e USING (sensor_no, minute)
  FULL JOIN kept AS k USING (sensor_no, minute)
  JOIN roll_unit AS u USING (sensor_no)
  WHERE u.quarter = minute // 15
)
SELECT fresh, day, sensor_no, minute, is_light AS light, value,
  coalesce(model, if(dark, 0, NULL)) AS model,
  value + coalesce(model - model_setpoint, 0) AS value_setpoint,
  coalesce(model_setpoint, if(dark, 0, NULL)) AS model_setpoint, clipped, storage, span_before,
  span_after, if(span_before + span_after > $spread::INTEGER, true, NULL) AS broken
FROM halves
WHERE value IS NOT NULL OR model IS NOT NULL;
