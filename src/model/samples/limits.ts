// Bounds of samples, tags and signals.

export const sample_limits = {
  rows: 1_000_000,
  rows_per_transaction: 50_000,
  future_us: 10 * 60 * 1_000_000,
  text_value_length: 8 * 1024,
  text_row_length: 256,
  tags_per_project: 100_000,
  /** How far back the last sample of a silent sensor is looked for. */
  head_look_us: 35 * 86_400 * 1_000_000,
  /** How far in the future the last sample of a sensor may be before it is told. */
  ahead_us: 60 * 1_000_000,
  /** In a measure's unit; all sums over years and sensors stay far within a double's range. */
  mapped_value: 1e290,
  signal_span_us: 60_000_000,
  span_growth: 64,
  /** How many tags a header names that were asked for and do not exist. */
  unknown_tags_shown: 20,
  latest_reach_us: 24 * 3600 * 1_000_000,
  stream_values_ms: 1_000,
} as const;
