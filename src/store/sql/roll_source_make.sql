-- Which setpoint reaches which power: its own device's, or the plant's shared by its inverters.
CREATE OR REPLACE TEMP TABLE roll_source AS
SELECT target.sensor_no AS target_no, source.sensor_no AS source_no, false AS shared,
  CASE source.measure WHEN 'active_power_setpoint_ac_pct' THEN target.capacity / 100 ELSE 1 END
    AS factor,
  target.capacity AS rated
FROM roll_sensor AS target
JOIN roll_sensor AS source
  ON source.family = target.family AND source.unit = target.unit AND source.is_setpoint
WHERE target.measure = 'active_power'
UNION ALL
SELECT target.sensor_no, source.sensor_no, true, 1,
  -- Where one inverter's is not known, neither is the plant's.
  coalesce(
    source.capacity,
    CASE WHEN bool_and(target.capacity IS NOT NULL) OVER shared
      THEN sum(target.capacity) OVER shared
    END
  )
FROM roll_sensor AS target
JOIN roll_sensor AS source
  ON source.family = target.family AND source.unit <> target.unit AND source.is_plant_setpoint
WHERE target.measure = 'active_power' AND target.component = 'inverter'
  -- A battery's plant controller limits the inverters only where there is no battery converter.
  AND (source.component <> 'bess_ppc' OR NOT EXISTS (
    SELECT 1
    FROM sensor AS other
    WHERE other.project_no = target.project_no AND other.sentinel_tag = target.sentinel_tag
      AND other.component = 'bess_pcs'
  ))
WINDOW shared AS (PARTITION BY source.sensor_no);
