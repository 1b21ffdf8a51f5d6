-- Stores the new readings, in one statement and in the order in which minutes are
-- (`minute_insert.sql`).
INSERT INTO reading BY NAME
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
ORDER BY day, roll_turn($stamp_us::BIGINT // 60000000, sensor_no),
  roll_turn(sensor_no, minute // 15), minute;
