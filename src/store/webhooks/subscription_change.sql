-- Stores what may change of a subscription.
UPDATE subscription
SET
  project_ids = $project_ids::VARCHAR[],
  name = $name::VARCHAR,
  target = $target::VARCHAR,
  event_types = $event_types::VARCHAR[],
  headers = $headers::VARCHAR,
  timeout_s = $timeout_s::INTEGER,
  is_ordered = $is_ordered::BOOLEAN,
  hears_itself = $hears_itself::BOOLEAN,
  state = $state::VARCHAR,
  reason = $reason::VARCHAR,
  updated_at = $updated_at::BIGINT,
  deleted_at = $deleted_at::BIGINT
WHERE subscription_no = $subscription_no::INTEGER
