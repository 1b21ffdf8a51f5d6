-- What stands for the power of each unit: its active power, or an energy (60 W for each Wh of a
-- minute) where there is none beside. Rated powers are its own or those of the inverters below it;
-- `counts` picks one of several in a unit.
CREATE OR REPLACE TEMP TABLE roll_power AS
WITH power AS (
  SELECT sensor_no, family, unit, component, capacity, if(measure = rate, 1, 60) AS watts,
    sensor_no = min(sensor_no) OVER (PARTITION BY family, unit) AS counts
  FROM roll_sensor
  WHERE family IS NOT NULL AND rate = 'active_power' AND rate_no IS NULL
),
input AS (
  SELECT site_no, sentinel_tag, unit,
    if(bool_and(capacity IS NOT NULL), sum(capacity), NULL) AS dc_w
  FROM roll_sensor
  WHERE measure = 'dc_power'
  GROUP BY site_no, sentinel_tag, unit
),
own AS (
  SELECT p.*, coalesce(p.capacity, pv.rated_ac_w) AS ac_w,
    coalesce(pv.rated_dc_w, input.dc_w) AS dc_w
  FROM power AS p
  JOIN roll_sensor AS s USING (sensor_no)
  LEFT JOIN roll_pv AS pv USING (sensor_no)
  LEFT JOIN input
    ON input.site_no = s.site_no AND input.sentinel_tag = s.sentinel_tag AND input.unit = s.unit
),
below AS (
  SELECT b.sensor_no, if(bool_and(own.ac_w IS NOT NULL), sum(own.ac_w), NULL) AS ac_w,
    if(bool_and(own.dc_w IS NOT NULL), sum(own.dc_w), NULL) AS dc_w
  FROM roll_below AS b
  JOIN own ON own.sensor_no = b.part_no
  GROUP BY b.sensor_no
)
SELECT sensor_no, own.family, own.unit, own.component, own.watts, own.counts,
  coalesce(own.ac_w, below.ac_w) AS ac_w, coalesce(own.dc_w, below.dc_w) AS dc_w
FROM own
LEFT JOIN below USING (sensor_no);
