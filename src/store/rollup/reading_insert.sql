-- Stores the new readings, in the order in which a sensor's day is read.
INSERT INTO reading BY NAME
SELECT *
FROM (
  SELECT * EXCLUDE (op) FROM roll_reading_change WHERE op = 'insert'
  UNION ALL BY NAME
  SELECT * EXCLUDE (fresh) REPLACE (
      nullif(value_setpoint, value) AS value_setpoint,
      nullif(model_setpoint, model) AS model_setpoint
    )
  FROM roll_reading
  WHERE fresh
  UNION ALL BY NAME
  FROM roll_simple
)
WHERE minute BETWEEN $from_minute::INTEGER AND $to_minute::INTEGER
ORDER BY day, sensor_no, minute;
