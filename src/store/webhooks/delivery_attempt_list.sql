-- The attempts of a delivery, in their order.
SELECT delivery_no, attempt, sent_at, took_ms, status, error, address, answer
FROM delivery_attempt
WHERE delivery_no = $delivery_no
ORDER BY attempt, sent_at
