-- A million events of 250 000 alarms on the 500 inverters, a thousand at a time side by side.
CREATE TEMP TABLE life AS
SELECT * FROM (VALUES
  (0, 'raised', 'lifecycle', 0), (1, 'claimed', 'operator', 60), (2, 'commented', 'operator', 120),
  (3, 'cleared', 'lifecycle', 900)
) AS l(step, type, kind, after_s);

CREATE TEMP TABLE alarm_plan AS
SELECT
  n::BIGINT AS occurrence_no, 'alarm-' || lpad(n::VARCHAR, 12, '0') AS occurrence_id,
  1767225600000000 + (n - 1) // 1000 * 100000000 + n % 1000 * 20000
    AS raised_at,
  (n % 500 + 1)::INTEGER AS tag_no
FROM range(1, 250001) AS r(n);

INSERT INTO occurrence_event (
  feed_no, synced_at, project_no, site_no, occurrence_no, occurrence_id, event_id, type, kind,
  created_at, body
)
SELECT
  row_number() OVER (ORDER BY (occurrence_no - 1) // 1000, step, occurrence_no),
  1767225600000000 + (occurrence_no - 1) // 1000 * 100000000 + step * 25000000
    + (occurrence_no - 1) % 1000 // 10 * 100000,
  1, 1, occurrence_no, occurrence_id, 'wk-' || lpad((step + 1)::VARCHAR, 6, '0'), type, kind,
  raised_at + after_s * 1000000, CASE WHEN step = 2 THEN 'Seen before: look at the fan' END
FROM alarm_plan, life
ORDER BY 1;

INSERT INTO occurrence (
  occurrence_no, occurrence_id, project_no, site_no, origin, source, rule_name, rule_version,
  kind, severity, alarm_class, is_nerc, status, claimed_by, resolution_policy, raised_at,
  source_ts, updated_at, synced_at, cleared_at, raised_value, last_value, peak_value, peak_at,
  recovered_value, source_tag, measure, device_id, decoded_labels, params, is_late, is_flood,
  is_chattering, events_total, first_feed_no, last_feed_no, id_hash
)
SELECT
  occurrence_no, plan.occurrence_id, 1, 1, 'source', 'scada:s0',
  'Over-temperature', 3, 'threshold',
  ['critical', 'high', 'medium', 'low', 'info'][occurrence_no % 5 + 1],
  ['pcs', 'comms', 'trip'][occurrence_no % 3 + 1], false, 'claimed', NULL, 'auto', raised_at,
  raised_at, raised_at + 900000000, last.synced_at, raised_at + 900000000, 91.5, 70, 93, raised_at,
  84, 'D' || tag_no || '.active_power', 'active_power', 'd' || tag_no, '[]',
  '{"operator":">","threshold":90}', false, false, false, 4, first.feed_no, last.feed_no,
  (md5_number_lower(plan.occurrence_id) >> 1)::BIGINT
FROM alarm_plan AS plan
JOIN occurrence_event AS first USING (occurrence_no)
JOIN occurrence_event AS last USING (occurrence_no)
WHERE first.type = 'raised' AND last.type = 'cleared'
ORDER BY occurrence_no;

UPDATE occurrence SET status = 'open', cleared_at = NULL
WHERE occurrence_no % 5000 = 0;
