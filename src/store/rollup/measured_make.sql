-- The values of minutes that come from samples as they are; of a carried minute there is none.
CREATE OR REPLACE TEMP VIEW roll_measured AS
SELECT sensor_no, minute, value
FROM (
  SELECT s.sensor_no, m.minute,
    CASE s.over_time
      WHEN 'last' THEN m.last
      WHEN 'max' THEN if(s.scale < 0, m.minimum, m.maximum)
      WHEN 'min' THEN if(s.scale < 0, m.maximum, m.minimum)
      ELSE m.mean
    END * s.scale + s."offset" AS value
  FROM roll_minute AS m
  JOIN roll_sensor AS s ON s.tag_no = m.tag_no AND s.how = 'plain'
  WHERE NOT m.carried
)
WHERE isfinite(value);
