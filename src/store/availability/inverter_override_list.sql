-- The overrides of a project that reach into a range of time, one row an inverter, oldest first.
SELECT unnest(hierarchy_ids) AS hierarchy_id, state, from_us, to_us, reason, author
FROM state_override
WHERE project_no = $project_no::INTEGER
  AND from_us < $to_us::BIGINT
  AND to_us > $from_us::BIGINT
ORDER BY created_at, id;
