-- The inverters among some that overrides are about in a range, of states or of the same loss, each
-- with the first of them.
SELECT hierarchy_id, min_by(id, from_us) AS id, min(from_us) AS from_us,
  min_by(to_us, from_us) AS to_us
FROM (
  SELECT unnest(hierarchy_ids) AS hierarchy_id, id, from_us, to_us
  FROM state_override
  WHERE
    project_no = $project_no::INTEGER
    AND from_us < $to_us::BIGINT
    AND to_us > $from_us::BIGINT
    AND loss IS NOT DISTINCT FROM $loss::VARCHAR
) AS spoken
JOIN (SELECT unnest($hierarchy_ids::VARCHAR[]) AS hierarchy_id) AS wanted USING (hierarchy_id)
GROUP BY hierarchy_id
ORDER BY hierarchy_id
