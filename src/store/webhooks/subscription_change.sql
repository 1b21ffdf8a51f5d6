-- Stores what may change of a subscription.
UPDATE subscription
SET
  project_ids = $project_ids::VARCHAR[],
  name = $name,
  target = $target,
  event_types = $event_types::VARCHAR[],
  headers = $headers,
  timeout_s = $timeout_s::INTEGER,
  is_ordered = $is_ordered,
  hears_itself = $hears_itself,
  state = $state,
  reason = $reason,
  updated_at = $updated_at::BIGINT,
  deleted_at = $deleted_at::BIGINT
WHERE subscription_no = $subscription_no
