-- What differs between the minutes on lent weather as found and as stored, in the quarter-hours
-- whose expected values were computed. One that has other minutes is deleted and inserted.
CREATE OR REPLACE TEMP TABLE roll_lent_change AS
WITH found AS (
  SELECT u.day, u.sensor_no, u.quarter, bit_or((1 << (l.minute % 15))::INTEGER) AS bits
  FROM roll_lent AS l
  JOIN roll_unit AS u ON u.sensor_no = l.sensor_no AND u.quarter = l.minute // 15 AND u.remodel
  GROUP BY ALL
),
stored AS (
  SELECT q.*
  FROM lent_quarter AS q
  SEMI JOIN roll_unit AS u
    ON u.sensor_no = q.sensor_no AND u.quarter = q.quarter AND u.remodel
  WHERE q.quarter BETWEEN $from_minute::INTEGER // 15 AND $to_minute::INTEGER // 15
)
SELECT 'delete' AS op, *
FROM (FROM stored EXCEPT FROM found)
UNION ALL
SELECT 'insert', *
FROM (FROM found EXCEPT FROM stored);
