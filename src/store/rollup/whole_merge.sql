-- Changes and forgets known whole quarter-hours, in place, in the order in which they lie: see
-- `daily_merge`.
MERGE INTO whole_quarter AS t
USING (
  SELECT w.rowid AS place, c.*
  FROM roll_whole_change AS c
  JOIN whole_quarter AS w ON w.tag_no = c.tag_no AND w.quarter = c.quarter
    AND w.quarter BETWEEN $from_minute::INTEGER // 15 AND $to_minute::INTEGER // 15
  WHERE c.op <> 'insert'
  ORDER BY place
) AS c
ON t.rowid = c.place
  AND t.quarter BETWEEN $from_minute::INTEGER // 15 AND $to_minute::INTEGER // 15
WHEN MATCHED AND c.op = 'delete' THEN DELETE
WHEN MATCHED THEN UPDATE SET day = c.day, upto = c.upto, sensor_no = c.sensor_no,
  sensor_day = c.sensor_day, scale = c.scale, "offset" = c."offset", light = c.light;
