// Bounds of setpoints: how they are declared, sent, confirmed and logged.

export const setpoint_limits = {
  every_s: 10,
  every_most_s: 86_400,
  confirm_ms: 5_000,
  confirm_least_ms: 200,
  confirm_most_ms: 30_000,
  // A device is asked again after this time whether it has the value.
  look_again_ms: 200,
  // What a station that is asked for one point has for its answer.
  read_wait_ms: 1_000,
  // A message with a time of longer ago than this confirms nothing: it may have waited somewhere.
  old_ms: 60_000,
  // What a command waits at most until the connection is free for it.
  wait_ms: 10_000,
  unit_length: 20,
  key_length: 100,
  note_length: 500,
  reason_length: 500,
  body_bytes: 8 * 1024,
  keep_days: 3_650,
} as const;
