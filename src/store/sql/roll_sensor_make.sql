-- Every sensor with how its values come about, its model's tag, the power that its energy's model
-- is the integral of, and its family: sensors whose setpoint columns depend on each other.
CREATE OR REPLACE TEMP TABLE roll_sensor AS
WITH mapped AS (
  SELECT s.sensor_no, s.project_no, s.site_no, s.tag_no, model.tag_no AS model_tag_no,
    s.sentinel_tag, coalesce(s.device_id, s.component) AS unit, s.component, s.measure,
    k.over_time, s.scale, s."offset", s.capacity, s.interval_s, s.interval_at, s.register_bits,
    CASE k.over_time
      WHEN 'increment' THEN CASE s.accumulation WHEN 'none' THEN 'integral' ELSE s.accumulation END
      WHEN 'time_weighted_mean' THEN 'hold'
      ELSE 'plain'
    END AS how,
    s.measure IN ('energy', 'active_energy_delivered', 'energy_export') AS is_energy,
    s.measure IN (
      'active_power_setpoint', 'active_power_setpoint_local', 'active_power_setpoint_remote',
      'active_power_setpoint_ac_pct'
    ) AS is_setpoint,
    s.measure = 'active_power_setpoint' AND s.component IN ('system', 'meter', 'bess_ppc')
      AS is_plant_setpoint
  FROM sensor AS s
  JOIN tag AS own ON own.tag_no = s.tag_no
  JOIN roll_measure AS k ON k.measure = s.measure
  LEFT JOIN tag AS model
    ON model.project_no = s.project_no AND model.lane = 'model'
    AND model.sensor_tag = own.sensor_tag
),
keyed AS (
  SELECT *,
    CASE WHEN is_energy THEN min(sensor_no) FILTER (measure = 'active_power') OVER beside END
      AS power_no,
    CASE WHEN is_energy OR is_setpoint OR measure = 'active_power' THEN
      concat_ws(
        '/', project_no, sentinel_tag,
        CASE WHEN bool_or(is_plant_setpoint) OVER around THEN '' ELSE unit END
      )
    END AS kin
  FROM mapped
  WINDOW beside AS (PARTITION BY project_no, sentinel_tag, unit),
    around AS (PARTITION BY project_no, sentinel_tag)
)
SELECT *,
  CASE
    WHEN bool_or(measure = 'active_power' AND model_tag_no IS NOT NULL) OVER (PARTITION BY kin)
    THEN kin
  END AS family
FROM keyed;
