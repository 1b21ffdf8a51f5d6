-- The row numbers of the events sent that are stored already; unordered, for the caller's set.
SELECT s.row_no
FROM alarm_event_sent AS s
SEMI JOIN (
  SELECT occurrence_no, event_id
  FROM occurrence_event
  WHERE feed_no BETWEEN $from_feed_no::BIGINT AND $to_feed_no::BIGINT
) AS stored USING (occurrence_no, event_id)
