// Bounds of the running process and its upkeep.

export const service_limits = {
  import_tries: 20,
  open_files: 4_096,
  connections_share: 0.75,
  address_share: 0.25,
  no_request_ms: 10_000,
  idle_ms: 60_000,
  connections_look_ms: 1_000,
  accept_again_ms: 50,
  certificate_look_ms: 10_000,
  checkpoint_idle_ms: 60_000,
  free_disk_bytes: 64 * 1024 * 1024,
  doctor_free_disk_bytes: 1024 * 1024 * 1024,
  keep_ms: 2_000,
} as const;
