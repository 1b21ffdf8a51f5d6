-- A fingerprint of all that the roll-up reads of the plant: tags, sensors, places, what is expected
-- of devices, and what is gone.
SELECT concat_ws(
  '/', (SELECT bit_xor(hash(tag_no, project_no, lane, sensor_tag, carry_s)) FROM tag),
  (SELECT bit_xor(hash(sensor)) FROM sensor),
  (SELECT bit_xor(hash(project_no, timezone)) FROM project),
  (SELECT bit_xor(hash(site_no, project_no, latitude, longitude)) FROM site),
  (
    SELECT bit_xor(hash(id, site_no, type, parent_device_id, block_id, device_model, pv, grid))
    FROM device
  ),
  (SELECT bit_xor(hash(site_no, key, pv)) FROM device_model),
  (SELECT bit_xor(hash(fallback)) FROM fallback),
  (SELECT bit_xor(hash(horizon)) FROM horizon)
) AS hash;
