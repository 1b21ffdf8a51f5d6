// Every bound of the service, each written once, its unit in its name.

export const limits = {
  // requests
  url_bytes: 8 * 1024,
  repeated_values: 200,
  body_bytes: 64 * 1024 * 1024,
  inflated_body_bytes: 512 * 1024 * 1024,
  site_file_bytes: 32 * 1024 * 1024,
  body_deadline_ms: 120_000,
  unread_body_bytes: 64 * 1024,
  requests_in_flight: 256,
  streams_in_flight: 64,
  requests_per_token: 64,
  streams_per_token: 16,
  requests_queued: 128,
  queue_wait_ms: 5_000,
  ready_ms: 1_000,
  retry_after_s: 2,
  log_path_length: 200,
  stream_stall_ms: 30_000,
  stop_grace_ms: 25_000,

  // ingest
  ingest_rows: 1_000_000,
  ingest_line_bytes: 64 * 1024,
  ingest_queue_rows: 4_000_000,
  rejected_shown: 100,
  rows_per_transaction: 50_000,
  future_us: 10 * 60 * 1_000_000,
  tag_length: 512,
  text_value_length: 8 * 1024,
  tags_per_project: 100_000,

  // import
  historian_head_bytes: 4 * 1024 * 1024,
  historian_line_bytes: 4 * 1024 * 1024,
  import_piece_rows: 100_000,
  import_piece_bytes: 8 * 1024 * 1024,
  import_tries: 20,

  // tenancy
  key_length: 64,
  name_length: 200,
  site_blocks: 10_000,
  site_devices: 50_000,
  site_sensors: 200_000,
  flaws_shown: 100,
  tokens: 10_000,
  token_use_flush_us: 60 * 1_000_000,
  token_body_bytes: 64 * 1024,

  // answers
  page_rows: 100_000,
  page_rows_default: 10_000,
  batch_rows: 65_536,
  piece_bytes: 512 * 1024,
  parquet_group_rows: 131_072,
  cells_per_slab: 1_048_576,
  cells_of_first_slab: 65_536,
  cells_per_answer: 200_000_000,
  buckets_per_answer: 2_000_000,

  // signals and roll-up
  visible_after_us: 5_000_000,
  signal_span_us: 60_000_000,
  replay_span_us: 50_000,
  span_growth: 64,
  carry_s: 900,
  model_carry_s: 3600,
  setpoint_active_s: 3600,
  hold_s: 86_400,
  gap_s: 900,
  counter_spread_s: 3600,
  counter_rated_factor: 1.5,
  counter_look_s: 400 * 86_400,
  roll_rows: 250_000,
  roll_pause_ms: 1_000,
  roll_retry_ms: 5_000,
  stale_days: 500,
  differences_shown: 10,

  // process
  open_files: 4_096,
  crowded_look_ms: 5_000,
  crowded_rounds: 3,
  listen_again_ms: 1_000,

  // database
  checkpoint_wal_bytes: 64 * 1024 * 1024,
  checkpoint_idle_ms: 60_000,
  disk_full_retry_s: 30,
  free_disk_bytes: 64 * 1024 * 1024,
  doctor_free_disk_bytes: 1024 * 1024 * 1024,
  keep_ms: 2_000,
  memory_mb_min: 64,
  memory_mb_max: 1_048_576,
  readers: 4,
} as const;
