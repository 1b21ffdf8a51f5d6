-- Stores the new readings, in one statement and in the order in which minutes are, each part by
-- itself (`minute_insert.sql`).
INSERT INTO reading BY NAME
FROM (
  (SELECT * EXCLUDE (op) FROM roll_reading_change WHERE op = 'insert' ORDER BY {order})
  UNION ALL BY NAME
  (
    SELECT * EXCLUDE (fresh) REPLACE (
        nullif(value_setpoint, value) AS value_setpoint,
        nullif(model_setpoint, model) AS model_setpoint
      )
    FROM roll_reading
    WHERE fresh
    ORDER BY {order}
  )
  UNION ALL BY NAME
  (FROM roll_simple ORDER BY {order})
)
WHERE minute BETWEEN $from_minute::INTEGER AND $to_minute::INTEGER;
