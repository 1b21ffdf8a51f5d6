-- Where the feed goes on after one of its events, and where it ends.
SELECT
  coalesce(
    (
      SELECT min(feed_no)
      FROM occurrence_event
      WHERE
        synced_at = $since_us::BIGINT
        AND (
          occurrence_no > $after_no::BIGINT
          OR (occurrence_no = $after_no::BIGINT AND event_id > $after_event_id)
        )
    ),
    (SELECT min(feed_no) FROM occurrence_event WHERE synced_at > $since_us::BIGINT)
  ) AS from_feed_no,
  (SELECT max(feed_no) FROM occurrence_event) AS last_feed_no
