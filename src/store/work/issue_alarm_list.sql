-- The alarm occurrences that some issues are linked to, the oldest link first.
SELECT l.issue_no, l.occurrence_no, o.occurrence_id
FROM issue_alarm AS l
SEMI JOIN (SELECT unnest($issue_nos::BIGINT[]) AS issue_no) AS wanted USING (issue_no)
JOIN occurrence AS o USING (occurrence_no)
ORDER BY l.created_at, l.occurrence_no
