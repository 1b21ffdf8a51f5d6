-- The occurrence of a project by its source's ID, as JSON.
SELECT to_json(o)::VARCHAR AS json
FROM (
  SELECT {columns}
  FROM occurrence
  WHERE
    id_hash = (md5_number_lower($occurrence_id::VARCHAR) >> 1)::BIGINT
    AND occurrence_id = $occurrence_id::VARCHAR
    AND project_no = $project_no::INTEGER
) AS o
ORDER BY o.occurrence_no
