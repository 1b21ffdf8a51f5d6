-- Tags of a project and lane by their names.
SELECT
  tag_no, project_no, lane, sensor_tag, tag_class, encoding, unit, carry_s, device_key,
  device_name, declared
FROM tag
WHERE
  project_no = $project_no::INTEGER
  AND lane = $lane::VARCHAR
  AND list_contains($names::VARCHAR[], sensor_tag)
ORDER BY tag_no
