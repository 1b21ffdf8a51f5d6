-- Events of a stretch of a project's feed as JSON, with what else is wanted of them.
WITH printed AS (
  SELECT
    feed_no, synced_at, occurrence_no, event_id, type,
    concat(
      '{"event_id":', to_json(event_id),
      ',"occurrence_id":', to_json(occurrence_id),
      ',"svc_occurrence_ref":"occ-', lpad(occurrence_no::VARCHAR, 12, '0'),
      '","type":', to_json(type),
      ',"kind":', to_json(kind),
      ',"created_at":"', strftime(make_timestamp(created_at), '%Y-%m-%dT%H:%M:%S.%fZ'),
      '","synced_at":"', strftime(make_timestamp(synced_at), '%Y-%m-%dT%H:%M:%S.%fZ'),
      '","body":', coalesce(to_json(body), 'null'),
      ',"user_id":', coalesce(to_json(user_id), 'null'),
      ',"user_email":', coalesce(to_json(coalesce(member.email, user_email)), 'null'),
      ',"external_user_id":', coalesce(to_json(external_user_id), 'null'),
      ',"detail":', coalesce(detail, 'null'), '}'
    ) AS text
  FROM occurrence_event
  LEFT JOIN (
    SELECT id, email FROM "user" WHERE organization_id = $organization_id
  ) AS member ON member.id = user_id
  WHERE
    feed_no BETWEEN $from_no::BIGINT AND $to_no::BIGINT
    AND project_no = $project_no::INTEGER
    AND ($site_no::INTEGER IS NULL OR site_no = $site_no::INTEGER)
    AND synced_at >= $since_us::BIGINT
    AND (
      synced_at > $since_us::BIGINT
      OR occurrence_no > $after_no::BIGINT
      OR (occurrence_no = $after_no::BIGINT AND event_id > $after_event_id)
    )
)
SELECT {columns}
FROM printed
ORDER BY feed_no
