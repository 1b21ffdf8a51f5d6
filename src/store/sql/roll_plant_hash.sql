-- A fingerprint of all tags and sensors as the roll-up sees them.
SELECT concat_ws(
  '/', (SELECT bit_xor(hash(tag_no, project_no, lane, sensor_tag, carry_s)) FROM tag),
  (SELECT bit_xor(hash(sensor)) FROM sensor)
) AS hash;
