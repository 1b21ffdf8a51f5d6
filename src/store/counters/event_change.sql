-- What differs between the counters' events as found and as stored, in the quarter-hours whose
-- values were computed. One that is told otherwise than before is deleted and inserted.
CREATE OR REPLACE TEMP TABLE roll_counter_event_change AS
WITH stored AS (
  SELECT e.*
  FROM counter_event AS e
  SEMI JOIN roll_unit AS u
    ON u.sensor_no = e.sensor_no AND u.quarter = e.ts // 900000000 AND u.revalue
  WHERE e.ts BETWEEN $from_minute::BIGINT * 60000000 AND ($to_minute::BIGINT + 1) * 60000000
)
SELECT 'delete' AS op, *
FROM (FROM stored EXCEPT FROM roll_counter_event)
UNION ALL
SELECT 'insert', *
FROM (FROM roll_counter_event EXCEPT FROM stored);
