// Bounds that belong to no room; each room keeps its own in a `limits.ts`. Units are in the names.

export const limits = {
  repeated_values: 200,
  held_bytes: 256 * 1024 * 1024,
  held_step_bytes: 128 * 1024,
  retry_after_s: 2,
  nearest_length: 100,
  nearest_edits: 5,
  nearest_shown: 5,
  projects_named: 10,
  rejected_shown: 100,
  tag_length: 512,
  key_length: 64,
  name_length: 200,
  flaws_shown: 100,
  answer_bytes: 16 * 1024,
  answer_header_bytes: 16 * 1024,
  line_idle_ms: 2_000,
  line_read_bytes: 16 * 1024,
  loop_retry_ms: 5_000,
} as const;
