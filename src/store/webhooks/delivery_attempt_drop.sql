-- Takes out old attempts of which the delivery is gone.
DELETE FROM delivery_attempt
WHERE
  sent_at < $before_us::BIGINT
  AND delivery_no NOT IN (SELECT delivery_no FROM delivery)
