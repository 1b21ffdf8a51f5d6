// Bounds of the database: connections, waits, stamps.

export const database_limits = {
  disk_full_retry_s: 30,
  readers: 4,
  reader_wait_ms: 10_000,
  interrupt_again_ms: 20,
  query_depth: 100,
  query_levels: 200,
  // Of a file that is made.
  block_bytes: 64 * 1024,
  // Rows of a part of a table, multiples of DuckDB's vectors; the first is DuckDB's own number.
  // Each question looks at what each part holds, if only to leave it out, and small ones leave more
  // of a block empty. But a commit of so many rows writes them into the file, and not into the log
  // first, which takes half the work: so under a load they are small. A little less than a round
  // number then, which bodies often have.
  group_rows: 122_880,
  load_group_rows: 18_432,
  // To change that, nothing may be at work: how long what comes waits for what is, at most.
  group_wait_ms: 50,
  // The file that could not be opened again is tried so often; then the process ends.
  attach_tries: 10,
  attach_wait_ms: 200,
  // So many of DuckDB's vectors, of up to 2 048 rows, make one piece.
  piece_vectors: 4,
  // To look first for setpoints, or whole quarter-hours, takes as long as to read so many rows.
  unlooked_rows: 100_000,
  // A multiple of DuckDB's vectors; a millisecond or two to copy.
  append_rows: 16 * 1024,
  // DuckDB puts rows in by itself where they become more than twice as many.
  append_alone_rows: 100_000,
  // How often a checkpoint makes up to three row groups of a table fewer, at most.
  all_gaps: 100,
  few_gaps: 2,
  // What blocks of the file may keep while nobody reads it.
  unused_mb: 4,
  stamp_run_share: 0.9,
  stamp_ahead_us: 60 * 1_000_000,
  // Where stamps are off time by more, it is noted; so often that a day of running slow is known.
  stamp_mark_us: 1_000_000,
  stamp_marks: 10_000,
} as const;
