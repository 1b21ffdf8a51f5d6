-- What attempts of some events send, by the number of the event.
SELECT event_no, id, type, body
FROM outbox
WHERE
  event_no IN (SELECT unnest($event_nos::BIGINT[]))
  AND event_no BETWEEN $from_no::BIGINT AND $to_no::BIGINT
ORDER BY event_no
