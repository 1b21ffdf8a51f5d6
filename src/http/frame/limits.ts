// Bounds of requests and of how many run at once.

export const request_limits = {
  url_bytes: 8 * 1024,
  body_depth: 64,
  body_deadline_ms: 120_000,
  held_whole_factor: 4,
  unread_body_bytes: 64 * 1024,
  form_bytes: 16 * 1024,
  requests_in_flight: 256,
  requests_per_token: 64,
  streams_in_flight: 64,
  /** Characters of a JSON document that goes out at once: nobody watches whether it is read. */
  whole_length: 64 * 1024,
  streams_per_token: 16,
  events_in_flight: 256,
  events_per_token: 16,
  queued: 256,
  queued_per_token: 64,
  queue_wait_ms: 5_000,
  /** Queries in PromQL that are worked out at once: each holds its samples. */
  promql_in_flight: 3,
  promql_per_token: 2,
  ready_ms: 1_000,
  ops_age_ms: 1_000,
  broken_files: 100,
  log_path_length: 200,
  path_hints: 256,
  stream_stall_ms: 30_000,
} as const;
