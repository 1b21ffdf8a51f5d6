-- How many events of a project wait for their occurrence, and the characters of their texts.
SELECT count(*)::BIGINT AS events,
  coalesce(sum(length(coalesce(body, '')) + length(coalesce(detail, ''))), 0)::BIGINT AS length
FROM waiting_event
WHERE project_no = $project_no::INTEGER
