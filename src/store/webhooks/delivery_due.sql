-- The next deliveries of a subscription: in the order of its events, or of when they are due.
SELECT delivery_no, event_no, attempts, due_at
FROM delivery
WHERE subscription_no = $subscription_no::INTEGER AND state = 'pending'
ORDER BY CASE WHEN $is_ordered THEN event_no ELSE due_at END, delivery_no
LIMIT $count::BIGINT
