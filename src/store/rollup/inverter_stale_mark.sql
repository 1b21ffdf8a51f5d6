-- Marks the days of sites whose inverters' states depend on what the roll-up just stored.
INSERT INTO inverter_stale (site_no, day)
WITH quarter_change AS (
  SELECT day, sensor_no, light, value
  FROM ({quarters})
  WHERE quarter BETWEEN $from_minute::INTEGER // 15 AND $to_minute::INTEGER // 15
),
minute_change AS (
  SELECT day, tag_no
  FROM ({minutes})
  WHERE minute BETWEEN $from_minute::INTEGER AND $to_minute::INTEGER
)
SELECT DISTINCT found.site_no, found.day
FROM (
  SELECT s.site_no, c.day
  FROM quarter_change AS c
  JOIN sensor AS s USING (sensor_no)
  WHERE (c.light OR c.value > 0)
    AND (
      s.component = 'inverter' AND s.measure IN ('active_power', 'energy', 'operating_status')
      OR s.measure IN ('poa_front', 'ghi')
      OR s.component IN ('meter', 'transformer', 'system')
        AND s.measure IN ('voltage', 'hv_voltage', 'ac_voltage')
    )
  UNION ALL
  SELECT s.site_no, c.day
  FROM minute_change AS c
  JOIN sensor AS s ON s.tag_no = c.tag_no AND s.measure = 'operating_status'
  UNION ALL
  SELECT d.site_no, c.day
  FROM minute_change AS c
  JOIN tag AS t ON t.tag_no = c.tag_no
  JOIN site ON site.project_no = t.project_no
  JOIN device AS d ON d.site_no = site.site_no AND d.event_tag = t.sensor_tag
) AS found
SEMI JOIN (SELECT site_no FROM device WHERE type = 'inverter') AS d USING (site_no)
ORDER BY found.site_no, found.day;
