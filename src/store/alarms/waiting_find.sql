-- The events that wait for some occurrences of a project; unordered, for the caller's set.
SELECT occurrence_id, event_id
FROM waiting_event
SEMI JOIN (SELECT unnest($ids::VARCHAR[]) AS occurrence_id) AS wanted USING (occurrence_id)
WHERE project_no = $project_no::INTEGER
