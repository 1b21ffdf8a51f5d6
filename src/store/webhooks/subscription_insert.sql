-- Stores a new subscription.
INSERT INTO subscription (
  subscription_no, id, organization_id, project_ids, name, target, event_types, headers, timeout_s,
  is_ordered, hears_itself, state, reason, created_at, updated_at, deleted_at
)
VALUES (
  $subscription_no::INTEGER, $id::VARCHAR, $organization_id::VARCHAR, $project_ids::VARCHAR[],
  $name::VARCHAR, $target::VARCHAR, $event_types::VARCHAR[], $headers::VARCHAR,
  $timeout_s::INTEGER, $is_ordered::BOOLEAN, $hears_itself::BOOLEAN, $state::VARCHAR,
  $reason::VARCHAR, $created_at::BIGINT, $updated_at::BIGINT, $deleted_at::BIGINT
)
