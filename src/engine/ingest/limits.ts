// Bounds of files that are sent to be imported, and of what is told of them.

export const import_limits = {
  file_bytes: 2 * 1024 * 1024 * 1024,
  files_per_token: 4,
  token_bytes: 4 * 1024 * 1024 * 1024,
  files: 32,
  bytes: 8 * 1024 * 1024 * 1024,
  /** How long a file may take to arrive, and waits for somebody to go on with it. */
  send_ms: 3_600_000,
  keep_ms: 24 * 3_600_000,
  /** Free space on the disk is looked at each time that so much has arrived. */
  room_step_bytes: 64 * 1024 * 1024,
  /** Of a format that is held as a whole: XLSX, a JSON array, an Arrow stream. */
  held_file_bytes: 32 * 1024 * 1024,
  /** Files that are read or imported at once, and those whose reports are kept. */
  jobs: 2,
  retry_ms: 60_000,
  reports: 100,
  name_length: 255,
  settings_bytes: 1024 * 1024,
  /** What is shown of a file: rows, cells of a row, columns or tags, reasons. */
  shown_rows: 3,
  shown_cells: 6,
  shown_columns: 2_000,
  shown_reasons: 100,
} as const;
