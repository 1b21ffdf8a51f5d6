-- Stores the changed occurrences in place; what an occurrence is by never changes.
UPDATE occurrence SET
  site_no = s.site_no, source = s.source, rule_no = s.rule_no, rule_name = s.rule_name,
  rule_version = s.rule_version, rule_description = s.rule_description, kind = s.kind,
  severity = s.severity, alarm_class = s.alarm_class, is_nerc = s.is_nerc, status = s.status,
  resumes = s.resumes, shelved_until = s.shelved_until, claimed_by = s.claimed_by,
  resolution_policy = s.resolution_policy, resolution = s.resolution, raised_at = s.raised_at,
  source_ts = s.source_ts, updated_at = s.updated_at, sent_at = s.sent_at,
  synced_at = s.synced_at, cleared_at = s.cleared_at, raised_value = s.raised_value,
  last_value = s.last_value, peak_value = s.peak_value, peak_at = s.peak_at,
  recovered_value = s.recovered_value, source_tag = s.source_tag, measure = s.measure,
  device_id = s.device_id,
  decoded_labels = s.decoded_labels, point_key = s.point_key, params = s.params,
  is_late = s.is_late, is_flood = s.is_flood, is_chattering = s.is_chattering,
  inhibited_by = s.inhibited_by, events_total = s.events_total, first_feed_no = s.first_feed_no,
  last_feed_no = s.last_feed_no
FROM occurrence_stage AS s
WHERE
  occurrence.occurrence_no = s.occurrence_no
  AND occurrence.occurrence_no BETWEEN $from_no::BIGINT AND $to_no::BIGINT
