// Bounds of bodies and files as bytes: sizes, lines, pieces.

export const body_limits = {
  body_bytes: 64 * 1024 * 1024,
  inflated_body_bytes: 512 * 1024 * 1024,
  inflate_turn_bytes: 64 * 1024,
  snappy_body_bytes: 16 * 1024 * 1024,
  zstd_frames: 1_024,
  ingest_lines: 4_000_000,
  ingest_line_bytes: 64 * 1024,
  zstd_window_bytes: 8 * 1024 * 1024,
  arrow_header_bytes: 64 * 1024,
  arrow_fields: 64,
  /** A transaction of so many goes into the database file without a detour over its log. */
  import_piece_rows: 125_000,
  import_piece_bytes: 8 * 1024 * 1024,
  piece_bytes: 512 * 1024,
  /** The room that is made for the first of them, and how much more for each one behind it. */
  first_piece_bytes: 32 * 1024,
  piece_growth: 4,
  /** Texts of rows that are put into pieces together, the memory of what is printed for them. */
  text_parts: 16_384,
  text_store_bytes: 256 * 1024,
  /** A table of texts that were printed has at most 2^12 of them. */
  text_table_bits: 12,
  promql_length: 8 * 1024,
  /** Of a pattern in a query: characters, the largest count of a repeat, instructions. */
  promql_pattern_length: 1024,
  promql_pattern_repeat: 100,
  promql_pattern_size: 2_000,
  /** How many labels a series of remote write may have. */
  remote_labels: 256,
  promql_depth: 100,
} as const;
