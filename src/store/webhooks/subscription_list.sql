-- Every subscription, the oldest first; its lists as words with a space between them.
SELECT
  subscription_no, id, organization_id, array_to_string(project_ids, ' ')::VARCHAR AS project_ids,
  name, target, array_to_string(event_types, ' ')::VARCHAR AS event_types, headers, timeout_s,
  is_ordered, hears_itself, state, reason, created_at, updated_at, deleted_at
FROM subscription
ORDER BY subscription_no
