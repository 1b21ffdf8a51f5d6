-- A fingerprint of all that the roll-up reads of the plant: tags, sensors, places, what is expected
-- of devices, and what is gone. By sums: `xor` of hashes is blind to two rows whose last columns
-- change alike.
SELECT sum(hash(part, hash))::VARCHAR AS hash
FROM (
  SELECT 1 AS part, sum(hash(tag_no, project_no, lane, sensor_tag, carry_s)) AS hash FROM tag
  UNION ALL
  SELECT 2, sum(hash(sensor)) FROM sensor
  UNION ALL
  SELECT 3, sum(hash(project_no, timezone)) FROM project
  UNION ALL
  SELECT 4, sum(hash(site_no, project_no, latitude, longitude)) FROM site
  UNION ALL
  SELECT 5,
    sum(hash(id, site_no, type, parent_device_id, block_id, device_model, pv, grid, event_tag))
  FROM device
  UNION ALL
  SELECT 6, sum(hash(site_no, key, pv)) FROM device_model
  UNION ALL
  SELECT 7, sum(hash(fallback)) FROM fallback
  UNION ALL
  SELECT 8, sum(hash(horizon)) FROM horizon
);
