-- Occurrences that pass every given filter, in the order asked for.
SELECT occurrence_no, synced_at
FROM occurrence
WHERE
  ($project_no::INTEGER IS NULL OR project_no = $project_no::INTEGER)
  AND ($site_no::INTEGER IS NULL OR site_no = $site_no::INTEGER)
  AND ($statuses::VARCHAR[] IS NULL OR list_contains($statuses::VARCHAR[], status))
  AND ($severities::VARCHAR[] IS NULL OR list_contains($severities::VARCHAR[], severity))
  AND ($kinds::VARCHAR[] IS NULL OR list_contains($kinds::VARCHAR[], kind))
  AND ($alarm_classes::VARCHAR[] IS NULL OR list_contains($alarm_classes::VARCHAR[], alarm_class))
  AND ($device_ids::VARCHAR[] IS NULL OR list_contains($device_ids::VARCHAR[], device_id))
  AND ($rule_nos::INTEGER[] IS NULL OR list_contains($rule_nos::INTEGER[], rule_no))
  AND ($rule_names::VARCHAR[] IS NULL OR list_contains($rule_names::VARCHAR[], rule_name))
  AND ($source_tags::VARCHAR[] IS NULL OR list_contains($source_tags::VARCHAR[], source_tag))
  AND ($active::BOOLEAN IS NULL OR (cleared_at IS NULL) = $active::BOOLEAN)
  AND (
    $ended::BOOLEAN IS NULL
    OR CASE resolution_policy
      WHEN 'auto' THEN cleared_at IS NOT NULL
      WHEN 'manual' THEN status = 'resolved'
      ELSE status = 'resolved' AND cleared_at IS NOT NULL
    END = $ended::BOOLEAN
  )
  AND ($to_us::BIGINT IS NULL OR raised_at < $to_us::BIGINT)
  AND ($from_us::BIGINT IS NULL OR cleared_at IS NULL OR cleared_at > $from_us::BIGINT)
  AND synced_at >= $since_us::BIGINT
  AND {after}
ORDER BY {order}
LIMIT $limit::BIGINT OFFSET $offset::BIGINT
