-- Every sensor with how its values come about, its model's tag, the sensor of the rate that its
-- amount's model is the integral of, and its family (the lowest sensor_no in it): sensors whose
-- expected values and setpoints depend on each other. One with expected power that is computed, or
-- with a plant's setpoint, holds its whole site, any other one unit. computed: its expected values
-- are computed from light alone, nothing in the dark; mixed: some of its site's are sent, too.
-- model_factor, model_offset: what a value of the model's tag comes to for a minute, scaled as
-- samples are. To an amount that is integrated, or whose tag is a rate too, a rate is sent (1 W for
-- a minute is 1/60 Wh). To any other amount amounts are sent, which have no factor.
CREATE OR REPLACE TEMP TABLE roll_sensor AS
WITH mapped AS (
  SELECT s.sensor_no, s.project_no, s.site_no, s.tag_no, model.tag_no AS model_tag_no,
    s.sentinel_tag, s.component, s.measure,
    coalesce(s.device_id, concat_ws('/', s.component, s.block_id)) AS unit, k.over_time, s.scale,
    s."offset", s.capacity, s.interval_s, s.interval_at, s.register_bits,
    s.register_modulus,
    CASE k.over_time
      WHEN 'increment' THEN CASE s.accumulation WHEN 'none' THEN 'integral' ELSE s.accumulation END
      WHEN 'time_weighted_mean' THEN 'hold'
      ELSE 'plain'
    END AS how,
    k.rate, k.is_setpoint,
    k.is_setpoint AND s.component IN ('system', 'meter', 'bess_ppc') AS is_plant_setpoint,
    s.measure IN ('active_energy_delivered', 'energy_export') OR s.accumulation = 'counter'
      AS one_way,
    s.sensor_no IN (SELECT sensor_no FROM roll_point) AS has_point,
    s.sensor_no IN (
      SELECT sensor_no FROM roll_point SEMI JOIN roll_storage USING (node_no)
    ) AS has_storage
  FROM sensor AS s
  JOIN tag AS own ON own.tag_no = s.tag_no
  JOIN roll_measure AS k ON k.measure = s.measure
  LEFT JOIN tag AS model
    ON model.project_no = s.project_no AND model.lane = 'model'
    AND model.sensor_tag = own.sensor_tag
),
keyed AS (
  SELECT *,
    CASE WHEN measure <> rate THEN min(sensor_no) FILTER (measure = rate) OVER beside END
      AS rate_no,
    CASE
      WHEN over_time <> 'increment' THEN scale
      WHEN how = 'integral' THEN scale / 60
      ELSE arg_min(scale, sensor_no) FILTER (over_time <> 'increment') OVER same / 60
    END AS model_factor,
    CASE
      WHEN over_time <> 'increment' THEN "offset"
      WHEN how = 'integral' THEN "offset" / 60
      ELSE arg_min("offset", sensor_no) FILTER (over_time <> 'increment') OVER same / 60
    END AS model_offset,
    CASE
      WHEN rate = 'active_power' OR is_setpoint THEN
        CASE WHEN bool_or(has_point OR is_plant_setpoint) OVER around THEN '' ELSE unit END
      WHEN rate IN ('ghi', 'poa_front', 'poa_rear') THEN concat_ws('/', rate, unit)
    END AS kin
  FROM mapped
  WINDOW beside AS (PARTITION BY project_no, site_no, sentinel_tag, unit, component, rate),
    same AS (PARTITION BY tag_no),
    around AS (PARTITION BY project_no, site_no, sentinel_tag)
),
rated AS (
  SELECT *,
    (has_point OR coalesce(rate_no IN (SELECT sensor_no FROM roll_point), false))
      AND NOT bool_or(has_storage) OVER beside AS computed,
    bool_or(model_tag_no IS NOT NULL AND rate = 'active_power') OVER around AS is_sent_around
  FROM keyed
  WINDOW beside AS (PARTITION BY project_no, site_no, sentinel_tag, unit, component, rate),
    around AS (PARTITION BY project_no, site_no, sentinel_tag)
)
SELECT *,
  CASE
    WHEN kin IS NOT NULL AND bool_or(
      has_point OR (model_tag_no IS NOT NULL AND rate_no IS NULL AND NOT is_setpoint)
    ) OVER kind
    THEN min(sensor_no) OVER kind
  END AS family,
  if(family IS NULL, 1, count(*) OVER kind) AS family_size,
  computed AND is_sent_around AS mixed
FROM rated
WINDOW kind AS (PARTITION BY project_no, site_no, sentinel_tag, kin);
