-- Every tag with how many minutes its value is carried, and how many quarter-hours a sample of it
-- can reach: carried, or looked back at by what is expected. ahead: and how many before it, for
-- whether an irradiance is flat is judged by the 30 minutes around it, and then a line leads to it.
-- alone: of its minutes nothing is made but the readings of one sensor, which are what its samples
-- come to; and nobody looks at them but by entry and by reading.
CREATE OR REPLACE TEMP TABLE roll_tag AS
WITH used AS (
  SELECT tag_no
  FROM roll_sensor
  WHERE how <> 'plain' OR family IS NOT NULL OR model_tag_no IS NOT NULL
  UNION
  SELECT model_tag_no FROM roll_sensor WHERE model_tag_no IS NOT NULL
  UNION
  SELECT tag_no FROM roll_weather
  UNION
  SELECT tag_no FROM roll_storage
  UNION
  SELECT tag_no FROM roll_witness
  UNION
  SELECT tag_no FROM roll_sensor GROUP BY tag_no HAVING count(*) > 1
  UNION
  -- What the states of inverters are told by.
  SELECT tag_no
  FROM roll_sensor
  WHERE measure = 'operating_status'
    OR component IN ('meter', 'transformer', 'system')
      AND measure IN ('voltage', 'hv_voltage', 'ac_voltage')
  UNION
  SELECT t.tag_no
  FROM device AS d
  JOIN site USING (site_no)
  JOIN tag AS t ON t.project_no = site.project_no AND t.sensor_tag = d.event_tag
)
SELECT tag_no, project_no, carry,
  CASE WHEN is_light THEN steps + 2 WHEN is_feed THEN greatest(steps, 1) ELSE steps END AS reach,
  if(is_light, steps + 2, 0) AS ahead, tag_no NOT IN (FROM used) AS alone
FROM (
  SELECT tag_no, project_no,
    CASE lane WHEN 'model' THEN $model_carry_s ELSE carry_s END::INTEGER // 60 AS carry,
    (carry + 14) // 15 AS steps,
    tag_no IN (SELECT tag_no FROM roll_weather WHERE is_light) AS is_light,
    tag_no IN (SELECT tag_no FROM roll_feed) AS is_feed
  FROM tag
);
