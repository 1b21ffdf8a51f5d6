// Bounds of the running process and its upkeep.

export const service_limits = {
  import_tries: 20,
  // A command waits no longer than this because it is told to: the refusal comes at once.
  asked_pause_s: 300,
  open_files: 4_096,
  invalid_answers_ms: 500,
  connections_share: 0.75,
  address_share: 0.25,
  no_request_ms: 10_000,
  idle_ms: 60_000,
  connections_look_ms: 1_000,
  accept_again_ms: 50,
  certificate_look_ms: 10_000,
  // How often a supervisor is told how the service is.
  beat_ms: 10_000,
  checkpoint_idle_ms: 60_000,
  free_disk_bytes: 64 * 1024 * 1024,
  doctor_free_disk_bytes: 1024 * 1024 * 1024,
  doctor_full_days: 30,
  keep_ms: 2_000,
  rest_look_ms: 4_000,
  // A twentieth of a processor from look to look.
  quiet_cpu_ms: 200,
  kept_mb: 32,
  busy_rest_ms: 120_000,
  signal_again_ms: 500,
  clock_look_ms: 2_000,
  // Less is a clock that is kept right, and within what everything may be late or early by.
  clock_set_us: 1_000_000,
  door_ms: 300_000,
  queries: 2,
  query_ms: 30_000,
  query_bytes: 16 * 1024 * 1024,
  query_body_bytes: 64 * 1024,
} as const;
