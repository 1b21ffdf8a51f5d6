-- Tags by their numbers.
SELECT
  tag_no, project_no, lane, sensor_tag, tag_class, encoding, unit, carry_s, device_key,
  device_name, declared
FROM tag
WHERE list_contains($tag_nos::INTEGER[], tag_no)
ORDER BY tag_no
