-- The newest events of some occurrences, each occurrence's as one JSON list from the oldest on.
SELECT
  occurrence_no,
  concat(
    '[',
    string_agg(
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
      ),
      ',' ORDER BY created_at, feed_no
    ),
    ']'
  )::VARCHAR AS events
FROM (
  SELECT
    feed_no, synced_at, project_no, occurrence_no, occurrence_id, event_id, type, kind, created_at,
    body, user_id, user_email, external_user_id, detail
  FROM occurrence_event
  SEMI JOIN (SELECT unnest(string_split($nos::VARCHAR, ' ')::BIGINT[]) AS occurrence_no) AS wanted
    USING (occurrence_no)
  WHERE feed_no BETWEEN $from_feed_no::BIGINT AND $to_feed_no::BIGINT
  QUALIFY
    row_number() OVER (PARTITION BY occurrence_no ORDER BY created_at DESC, feed_no DESC)
      <= $newest::BIGINT
) AS event
LEFT JOIN (
  SELECT "user".id, email, project_no AS of_project_no
  FROM "user"
  INNER JOIN project USING (organization_id)
) AS member ON member.id = user_id AND of_project_no = project_no
GROUP BY occurrence_no
ORDER BY occurrence_no
