-- Stores the staged events, numbered on in the order of the feed.
INSERT INTO occurrence_event (
  feed_no, synced_at, project_no, site_no, occurrence_no, occurrence_id, event_id, type, kind,
  created_at, body, user_id, user_email, external_user_id, detail
)
SELECT
  $last_feed_no::BIGINT + row_number() OVER (ORDER BY occurrence_no, event_id) AS feed_no,
  synced_at, project_no, site_no, occurrence_no, occurrence_id, event_id, type, kind, created_at,
  body, user_id, user_email, external_user_id, detail
FROM alarm_event_stage
ORDER BY feed_no
