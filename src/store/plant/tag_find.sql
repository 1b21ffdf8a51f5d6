-- Tags of a project and lane by their names.
SELECT
  tag_no, project_no, lane, sensor_tag, tag_class, encoding, unit, carry_s, device_key,
  device_name, declared
FROM tag
WHERE
  project_no = $project_no::INTEGER
  AND lane = $lane::VARCHAR
  AND sensor_tag IN (SELECT unnest($names::VARCHAR[]))
ORDER BY tag_no
