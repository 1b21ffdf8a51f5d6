-- The overrides of a project over a range, by their start; identifiers with a line between them.
SELECT
  id,
  project_no,
  array_to_string(hierarchy_ids, chr(10))::VARCHAR AS hierarchy_ids,
  state,
  loss,
  share,
  from_us,
  to_us,
  reason,
  author,
  created_at
FROM state_override
WHERE
  project_no = $project_no::INTEGER
  AND from_us < $to_us::BIGINT
  AND to_us > $from_us::BIGINT
  AND ($id::VARCHAR IS NULL OR id = $id::VARCHAR)
ORDER BY from_us, id
LIMIT $limit::BIGINT OFFSET $offset::BIGINT
