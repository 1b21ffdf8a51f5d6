-- The stamp of the last write that stored anything which carries one; 0 when nothing does.
SELECT coalesce(
  greatest(
    (SELECT max(received_at) FROM sample),
    (SELECT max(last_received_at) FROM tier_day),
    (SELECT max(received_at) FROM minute),
    (SELECT max(synced_at) FROM occurrence),
    (SELECT max(synced_at) FROM occurrence_event),
    (SELECT max(received_at) FROM waiting_event),
    (SELECT max(updated_at) FROM issue),
    (SELECT max(changed_at) FROM work_snapshot),
    (SELECT max(created_at) FROM issue_history),
    (SELECT max(created_at) FROM issue_alarm),
    (SELECT max(created_at) FROM outbox),
    (SELECT max(received_at) FROM sync_call),
    (SELECT max(TRY_CAST(value AS BIGINT)) FROM meta WHERE name = 'stamp')
  ),
  0
)::BIGINT AS last
