-- Deliveries to some subscriptions, the newest first, with their events.
SELECT
  d.delivery_no, d.subscription_no, o.id AS event_id, o.type, d.state, d.attempts, d.due_at,
  d.settled_at, d.created_at
FROM delivery AS d
JOIN outbox AS o ON o.event_no = d.event_no
WHERE
  d.subscription_no IN (SELECT unnest($subscription_nos::INTEGER[]))
  AND ($delivery_no::BIGINT IS NULL OR d.delivery_no = $delivery_no::BIGINT)
  AND ($project_no::INTEGER IS NULL OR o.project_no = $project_no::INTEGER)
  AND ($state::VARCHAR IS NULL OR d.state = $state::VARCHAR)
  AND ($type::VARCHAR IS NULL OR o.type = $type::VARCHAR)
  AND ($event_id::VARCHAR IS NULL OR o.id = $event_id::VARCHAR)
ORDER BY d.delivery_no DESC
LIMIT $limit::BIGINT OFFSET $offset::BIGINT
