-- The values of the quarter-hours to be computed that come from samples as they are; of a carried
-- minute there is none. Those of whole ones stand apart. simple: they are stored as they are.
CREATE OR REPLACE TEMP VIEW roll_measured AS
SELECT *
FROM (
  SELECT u.sensor_no, m.minute, u.day, (u.light >> (m.minute % 15)) & 1 = 1 AS light,
    u.simple AND u.fresh AS simple,
    CASE u.over_time
      WHEN 'last' THEN m.last
      WHEN 'max' THEN if(u.scale < 0, m.minimum, m.maximum)
      WHEN 'min' THEN if(u.scale < 0, m.maximum, m.minimum)
      ELSE m.mean
    END * u.scale + u."offset" AS value
  FROM roll_minute AS m
  JOIN roll_unit AS u ON u.plain_tag_no = m.tag_no AND u.quarter = m.minute // 15
  WHERE NOT m.carried AND m.day IS NOT NULL
)
WHERE isfinite(value);
