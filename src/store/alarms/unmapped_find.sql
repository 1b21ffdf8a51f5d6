-- The numbers of the first alarms of some tags that are on no device.
SELECT occurrence_no
FROM occurrence
SEMI JOIN (
  SELECT
    unnest($project_nos::INTEGER[]) AS project_no,
    unnest($source_tags::VARCHAR[]) AS source_tag
) AS wanted
  USING (project_no, source_tag)
WHERE device_id IS NULL
ORDER BY occurrence_no
LIMIT $limit::BIGINT
