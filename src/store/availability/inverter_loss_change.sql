-- The days, among those that were computed, of which other losses are known than are stored.
CREATE OR REPLACE TEMP TABLE inverter_loss_day AS
WITH stored AS (
  SELECT day, sensor_no, from_us, to_us, part, energy_wh, evidence, detail
  FROM inverter_loss
  SEMI JOIN inverter_fresh_day USING (day, sensor_no)
  WHERE day BETWEEN $from_day AND $to_day
),
fresh AS (
  SELECT day, sensor_no, from_us, to_us, part, energy_wh, evidence, detail
  FROM inverter_fresh_loss
)
SELECT DISTINCT day, sensor_no
FROM ((FROM fresh EXCEPT FROM stored) UNION ALL (FROM stored EXCEPT FROM fresh))
ORDER BY day, sensor_no;
