-- Takes out old events of which no delivery is left.
DELETE FROM outbox
WHERE
  created_at < $before_us::BIGINT
  AND event_no NOT IN (SELECT event_no FROM delivery)
