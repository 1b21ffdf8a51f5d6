-- The highest numbers given so far, each in its own count; 0 where none was.
SELECT
  (SELECT coalesce(max(issue_no), 0) FROM issue)::BIGINT AS issue_no,
  (SELECT coalesce(max(work_order_no), 0) FROM work_order)::BIGINT AS work_order_no,
  (SELECT coalesce(max(snapshot_no), 0) FROM work_snapshot)::BIGINT AS snapshot_no,
  (SELECT coalesce(max(history_no), 0) FROM issue_history)::BIGINT AS history_no
