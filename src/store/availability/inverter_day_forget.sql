-- Removes the days of sensors that are no more, or that stand for none of a site's inverters.
DELETE FROM inverter_day
WHERE sensor_no NOT IN (SELECT sensor_no FROM sensor WHERE site_no <> $site_no::INTEGER)
  AND sensor_no NOT IN (SELECT unnest($sensors::INTEGER[]));
