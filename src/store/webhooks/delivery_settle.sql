-- Stores how deliveries go on; what was held or ended meanwhile stays so, unless it has arrived.
UPDATE delivery SET
  state = CASE WHEN s.state = 'pending' THEN delivery.state ELSE s.state END,
  attempts = s.attempts,
  due_at = s.due_at,
  settled_at = coalesce(s.settled_at, delivery.settled_at)
FROM delivery_stage AS s
WHERE
  delivery.delivery_no = s.delivery_no
  AND delivery.delivery_no BETWEEN $from_no::BIGINT AND $to_no::BIGINT
