-- The occurrence of a project by its source's ID, as JSON.
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
  WHERE
    id_hash = (md5_number_lower($occurrence_id) >> 1)::BIGINT
    AND occurrence_id = $occurrence_id
    AND project_no = $project_no::INTEGER
) AS o
ORDER BY o.occurrence_no
