-- Stores the new quarter-hours, in the order in which a sensor's day is read.
INSERT INTO quarter BY NAME
SELECT *
FROM (
  SELECT * EXCLUDE (op) FROM roll_quarter_change WHERE op = 'insert'
  UNION ALL BY NAME
  SELECT * EXCLUDE (fresh) REPLACE (
      nullif(value_setpoint, value) AS value_setpoint,
      nullif(model_setpoint, model) AS model_setpoint,
      nullif(model_setpoint_matched, model_matched) AS model_setpoint_matched
    )
  FROM roll_sum
  WHERE fresh
)
WHERE quarter BETWEEN $from_minute::INTEGER // 15 AND $to_minute::INTEGER // 15
ORDER BY day, sensor_no, quarter, light;
