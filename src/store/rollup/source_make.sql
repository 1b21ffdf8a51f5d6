-- Which setpoint limits what: the power of its unit (target_no), and of a plant's its inverters, or
-- those of them that its meter is above (a group of the inverters that several setpoints reach; of
-- nested groups a smaller one has a lower level). Gives what one of it comes to in W; a share of a
-- rating that is not known limits nothing.
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
    ) AS is_plants,
    sensor_no NOT IN (SELECT sensor_no FROM roll_reach) AS is_whole
  FROM roll_sensor AS s
  WHERE is_setpoint AND family IS NOT NULL
),
reached AS (
  SELECT s.sensor_no, p.sensor_no AS part_no, p.ac_w, p.dc_w
  FROM source AS s
  JOIN roll_power AS p ON p.family = s.family AND p.component = 'inverter' AND p.counts
  WHERE s.is_plants
    AND (s.is_whole OR EXISTS (
      SELECT 1
      FROM roll_reach AS r
      JOIN roll_power AS part ON part.sensor_no = r.part_no
      WHERE r.sensor_no = s.sensor_no AND part.unit = p.unit
    ))
),
plant AS (
  -- Where one inverter's rating is not known, neither is the plant's.
  SELECT sensor_no, list(part_no ORDER BY part_no) AS parts,
    if(bool_and(ac_w IS NOT NULL), sum(ac_w), NULL) AS ac_w,
    if(bool_and(dc_w IS NOT NULL), sum(dc_w), NULL) AS dc_w
  FROM reached
  GROUP BY sensor_no
),
limiting AS (
  SELECT s.sensor_no AS source_no, p.sensor_no AS target_no, s.family, s.measure,
    coalesce(p.ac_w, s.capacity) AS ac_w, p.dc_w, NULL AS parts, false AS is_whole
  FROM source AS s
  JOIN roll_power AS p ON p.family = s.family AND p.unit = s.unit
  UNION ALL
  SELECT s.sensor_no, NULL, s.family, s.measure, coalesce(s.capacity, p.ac_w), p.dc_w, p.parts,
    s.is_whole
  FROM source AS s
  LEFT JOIN plant AS p USING (sensor_no)
  WHERE s.is_plants
)
SELECT row_number() OVER (ORDER BY source_no, target_no)::INTEGER AS rule_no, source_no, target_no,
  family, ac_w AS rated_w, parts, is_whole,
  CASE WHEN target_no IS NULL THEN dense_rank() OVER (ORDER BY family, parts) END::INTEGER
    AS group_no,
  CASE
    WHEN target_no IS NULL THEN dense_rank() OVER (PARTITION BY family ORDER BY len(parts))
  END::INTEGER AS level,
  CASE measure
    WHEN 'active_power_setpoint_ac_pct' THEN ac_w / 100
    WHEN 'active_power_setpoint_dc_pct' THEN dc_w / 100
    ELSE 1
  END AS factor
FROM limiting
WHERE factor IS NOT NULL;
