-- Removes the local days of the sites $site_nos: the roll-up finds no day that a zone moved away.
DELETE FROM daily
WHERE sensor_no IN (
  SELECT sensor_no FROM sensor WHERE site_no IN (SELECT unnest($site_nos::INTEGER[]))
);
