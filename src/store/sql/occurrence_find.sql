-- The numbers of a project's occurrences by their source's IDs; those that are not are left out.
SELECT occurrence_no
FROM occurrence
SEMI JOIN (SELECT unnest($ids::VARCHAR[]) AS occurrence_id) AS wanted USING (occurrence_id)
WHERE project_no = $project_no::INTEGER
ORDER BY occurrence_no
