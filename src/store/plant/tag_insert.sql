-- Takes up tags that a source named first.
INSERT INTO tag (
  tag_no, project_no, lane, sensor_tag, tag_class, encoding, unit, carry_s, device_key,
  device_name, declared
)
SELECT
  unnest($tag_nos::INTEGER[]), $project_no::INTEGER, $lane::VARCHAR,
  unnest($names::VARCHAR[]), NULL, nullif(unnest($encodings::VARCHAR[]), ''), NULL,
  $carry_s::INTEGER, NULL, NULL, false
