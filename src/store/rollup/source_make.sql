-- Which setpoint limits what: the power of its unit, or where there is no target all of its plant.
-- Gives what one of it comes to in W; a share of a rating that is not known limits nothing.
CREATE OR REPLACE TEMP TABLE roll_source AS
WITH source AS (
  SELECT sensor_no, family, unit, measure, capacity,
    is_plant_setpoint AND (
      component <> 'bess_ppc'
      -- A battery's plant controller limits the inverters only where there is no battery converter.
      OR NOT EXISTS (
        SELECT 1
        FROM sensor AS other
        WHERE other.site_no = s.site_no AND other.sentinel_tag = s.sentinel_tag
          AND other.component = 'bess_pcs'
      )
    ) AS is_plants
  FROM roll_sensor AS s
  WHERE is_setpoint AND family IS NOT NULL
),
plant AS (
  -- Where one inverter's rating is not known, neither is the plant's.
  SELECT family, if(bool_and(ac_w IS NOT NULL), sum(ac_w), NULL) AS ac_w,
    if(bool_and(dc_w IS NOT NULL), sum(dc_w), NULL) AS dc_w
  FROM roll_power
  WHERE component = 'inverter' AND counts
  GROUP BY family
),
limiting AS (
  SELECT s.sensor_no AS source_no, p.sensor_no AS target_no, s.family, s.measure,
    coalesce(p.ac_w, s.capacity) AS ac_w, p.dc_w
  FROM source AS s
  JOIN roll_power AS p ON p.family = s.family AND p.unit = s.unit
  UNION ALL
  SELECT s.sensor_no, NULL, s.family, s.measure, coalesce(s.capacity, p.ac_w), p.dc_w
  FROM source AS s
  LEFT JOIN plant AS p USING (family)
  WHERE s.is_plants
)
SELECT row_number() OVER (ORDER BY source_no, target_no)::INTEGER AS rule_no, source_no, target_no,
  family, ac_w AS rated_w,
  CASE measure
    WHEN 'active_power_setpoint_ac_pct' THEN ac_w / 100
    WHEN 'active_power_setpoint_dc_pct' THEN dc_w / 100
    ELSE 1
  END AS factor
FROM limiting
WHERE factor IS NOT NULL;
