-- The numbers of a project's occurrences by their source's IDs; those that are not are left out.
SELECT o.occurrence_no
FROM occurrence AS o
JOIN (
  SELECT occurrence_id, (md5_number_lower(occurrence_id) >> 1)::BIGINT AS id_hash
  FROM (SELECT unnest($ids::VARCHAR[]) AS occurrence_id)
) AS wanted USING (id_hash)
WHERE o.project_no = $project_no::INTEGER AND o.occurrence_id = wanted.occurrence_id
ORDER BY o.occurrence_no
