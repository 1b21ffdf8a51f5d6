-- Stores that occurrences got events, and nothing else.
UPDATE occurrence SET
  synced_at = s.synced_at, events_total = s.events_total, first_feed_no = s.first_feed_no,
  last_feed_no = s.last_feed_no
FROM occurrence_touched AS s
WHERE
  occurrence.occurrence_no = s.occurrence_no
  AND occurrence.occurrence_no BETWEEN $from_no::BIGINT AND $to_no::BIGINT
