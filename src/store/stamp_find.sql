-- The stamp of the last write that stored anything which carries one; 0 when nothing does. Of what
-- is much the last in order is taken: that looks only where it may be, a maximum at every row.
SELECT coalesce(max(last), 0)::BIGINT AS last
FROM (
  (SELECT received_at AS last FROM sample ORDER BY received_at DESC LIMIT 1)
  UNION ALL
  SELECT max(last_received_at) FROM tier_day
  UNION ALL
  (SELECT received_at FROM minute ORDER BY received_at DESC LIMIT 1)
  UNION ALL
  (SELECT received_at FROM whole_quarter ORDER BY received_at DESC LIMIT 1)
  UNION ALL
  SELECT max(synced_at) FROM occurrence
  UNION ALL
  SELECT max(synced_at) FROM occurrence_event
  UNION ALL
  SELECT max(received_at) FROM waiting_event
  UNION ALL
  SELECT max(updated_at) FROM issue
  UNION ALL
  SELECT max(changed_at) FROM work_snapshot
  UNION ALL
  SELECT max(created_at) FROM issue_history
  UNION ALL
  SELECT max(created_at) FROM issue_alarm
  UNION ALL
  SELECT max(created_at) FROM outbox
  UNION ALL
  SELECT max(received_at) FROM sync_call
  UNION ALL
  SELECT max(TRY_CAST(value AS BIGINT)) FROM meta WHERE name = 'stamp'
);
