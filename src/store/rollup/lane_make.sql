-- What is computed outside SQL, by sensor and lane: values that are not plain means, sent models
-- that are amounts, and a setpoint while it is active. rated: of an energy, its own rated power or
-- that of its unit's power or energies.
CREATE OR REPLACE TEMP TABLE roll_lane AS
WITH rating AS (
  SELECT s.site_no, s.sentinel_tag, s.unit, s.component,
    max(coalesce(s.capacity, pv.rated_ac_w, p.ac_w)) AS rated
  FROM roll_sensor AS s
  JOIN roll_measure AS k USING (measure)
  LEFT JOIN roll_pv AS pv USING (sensor_no)
  LEFT JOIN roll_power AS p USING (sensor_no)
  WHERE k.is_energy OR s.measure = 'active_power'
  GROUP BY s.site_no, s.sentinel_tag, s.unit, s.component
)
SELECT s.sensor_no, 'value' AS lane, s.tag_no, s.how, s.scale, s."offset",
  if(k.is_energy, coalesce(s.capacity, r.rated), NULL) AS rated, s.interval_s, s.interval_at,
  coalesce(s.register_modulus, 2 ** s.register_bits)::DOUBLE AS modulus
FROM roll_sensor AS s
JOIN roll_measure AS k USING (measure)
LEFT JOIN rating AS r
  ON r.site_no = s.site_no AND r.sentinel_tag = s.sentinel_tag AND r.unit = s.unit
  AND r.component = s.component
WHERE s.how <> 'plain'
UNION ALL
SELECT sensor_no, 'model', model_tag_no, 'interval', scale, if(how = 'counter', 0, "offset"), NULL,
  coalesce(interval_s, 60), interval_at, NULL
FROM roll_sensor
WHERE model_tag_no IS NOT NULL AND model_factor IS NULL
UNION ALL
SELECT sensor_no, 'setpoint', tag_no, 'setpoint', scale, "offset", NULL, NULL, interval_at, NULL
FROM roll_sensor
WHERE sensor_no IN (SELECT source_no FROM roll_source);
