-- The newest alarm of each condition of a source, those that are active first.
SELECT occurrence_no
FROM occurrence
WHERE
  project_no = $project_no::INTEGER
  AND site_no = $site_no::INTEGER
  AND origin = 'source'
  AND source = $source::VARCHAR
  AND kind = $kind::VARCHAR
QUALIFY
  row_number() OVER (
    PARTITION BY json_extract_string(params, '$.condition')
    ORDER BY raised_at DESC, occurrence_no DESC
  ) = 1
ORDER BY cleared_at IS NOT NULL, raised_at DESC, occurrence_no
LIMIT $limit::BIGINT
