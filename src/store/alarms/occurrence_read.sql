-- Occurrences by their numbers, each as JSON, in the order in which they were last stored.
SELECT to_json(o)::VARCHAR AS json
FROM (
  SELECT
    occurrence_no, occurrence_id, project_no, site_no, origin, source, rule_no, rule_name,
    rule_version, rule_description, kind, severity, alarm_class, is_nerc, status, resumes,
    shelved_until, claimed_by, resolution_policy, resolution, raised_at, source_ts, updated_at,
    sent_at, synced_at, cleared_at, raised_value, last_value, peak_value, peak_at, recovered_value,
    source_tag, measure, device_id, decoded_labels::JSON AS decoded_labels, point_key, params,
    is_late, is_flood, is_chattering, inhibited_by, events_total, first_feed_no, last_feed_no
  FROM occurrence
  SEMI JOIN (SELECT unnest(string_split($nos, ' ')::BIGINT[]) AS occurrence_no) AS wanted
    USING (occurrence_no)
  WHERE occurrence_no BETWEEN $from_no::BIGINT AND $to_no::BIGINT
) AS o
ORDER BY o.synced_at, o.occurrence_no
