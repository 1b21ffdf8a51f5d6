-- Readings of whole quarter-hours, which are made of their samples, as `reading` has them; for the
-- names see `whole_minute_read.sql`.
SELECT {also}w.sensor_day AS day, w.sensor_no, (s.ts // 60000000)::INTEGER AS minute,
  (w.light >> (minute % 15)) & 1 = 1 AS light, s.number * w.scale + w."offset" AS value
FROM (
  SELECT tag_no, ts, received_at, if(isfinite(value), value, value_int::DOUBLE) AS number
  FROM sample
  WHERE {samples} AND ts >= {begin} * 60000000 AND ts < {end} * 60000000
    AND NOT coalesce(quality >= 2, false)
) AS s
JOIN (
  FROM {table}
  WHERE {wholes} AND sensor_no IS NOT NULL
    AND quarter >= {begin} // 15 AND quarter < ({end} + 14) // 15
) AS w ON w.tag_no = s.tag_no AND w.quarter = (s.ts // 900000000)::INTEGER
WHERE s.received_at <= w.upto AND isfinite(s.number * w.scale + w."offset")
