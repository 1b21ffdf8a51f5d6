-- What differs between states as computed and as stored, of the days that were computed.
CREATE OR REPLACE TEMP TABLE inverter_state_change AS
WITH stored AS (
  SELECT day, sensor_no, from_us, to_us, state, evidence, detail, unavailable
  FROM inverter_state
  SEMI JOIN inverter_fresh_day USING (day, sensor_no)
  WHERE day BETWEEN $from_day AND $to_day
)
SELECT CASE WHEN o.to_us IS NULL THEN 'insert' WHEN f.to_us IS NULL THEN 'delete' ELSE 'update' END
    AS op,
  day, sensor_no, from_us, f.to_us, f.state, f.evidence, f.detail, f.unavailable
FROM inverter_fresh_state AS f
FULL JOIN stored AS o USING (day, sensor_no, from_us)
WHERE o.to_us IS DISTINCT FROM f.to_us
  OR o.state IS DISTINCT FROM f.state
  OR o.evidence IS DISTINCT FROM f.evidence
  OR o.detail IS DISTINCT FROM f.detail
  OR o.unavailable IS DISTINCT FROM f.unavailable
ORDER BY day, sensor_no, from_us;
