-- The answer to a project's call of the inbound sync, unless it is too old; the latest first.
SELECT answer
FROM sync_call
WHERE project_no = $project_no AND delivery_id = $delivery_id AND received_at >= $since_us
ORDER BY received_at DESC
LIMIT 1;
