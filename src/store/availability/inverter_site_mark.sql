-- Marks every day of a site on which something was rolled up or states are known.
INSERT INTO inverter_stale (site_no, day)
SELECT $site_no::INTEGER, day
FROM (
  SELECT day FROM daily WHERE sensor_no IN (SELECT sensor_no FROM sensor WHERE site_no = $site_no)
  UNION
  SELECT day
  FROM inverter_day
  WHERE sensor_no IN (SELECT sensor_no FROM sensor WHERE site_no = $site_no)
)
ORDER BY day;
