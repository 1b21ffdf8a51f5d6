-- Every so many events of the feed when it was stored, and the last one.
SELECT feed_no, synced_at
FROM occurrence_event
WHERE feed_no % $spread::BIGINT = 0 OR feed_no = (SELECT max(feed_no) FROM occurrence_event)
ORDER BY feed_no
