-- Tags by their numbers.
SELECT
  tag_no, project_no, lane, sensor_tag, tag_class, encoding, unit, carry_s, device_key,
  device_name, declared
FROM tag
WHERE tag_no IN (SELECT unnest($tag_nos::INTEGER[]))
ORDER BY tag_no
