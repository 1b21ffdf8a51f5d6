// Bounds of SQL that people ask, and of links that read without a token.

export const query_limits = {
  sql_length: 32_000,
  body_bytes: 64 * 1024,
  projects: 32,
  running: 3,
  running_per_token: 2,
  query_ms: 30_000,
  // When a process ends by itself that nobody ended.
  worker_ms: 40_000,
  // What the database of one query may use, and its whole process.
  memory_mb: 256,
  process_bytes: 768 * 1024 * 1024,
  memory_look_ms: 20,
  // What is read for one query before it runs.
  source_rows: 5_000_000,
  source_bytes: 256 * 1024 * 1024,
  source_reads: 1_000,
  // Of lists, and of what is read a window at a time.
  page_rows: 100_000,
  answer_rows: 1_000_000,
  answer_bytes: 64 * 1024 * 1024,
  name_length: 100,
} as const;
