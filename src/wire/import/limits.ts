// Bounds of files to import.

export const table_limits = {
  /** What is read of a file to tell how it is laid out, and the rows that are looked at first. */
  head_bytes: 4 * 1024 * 1024,
  head_rows: 2_000,
  line_bytes: 4 * 1024 * 1024,
  /** Devices and the like, each with a clock of its own. */
  keys: 100_000,
  /** Values that may repeat a time, which are held while the file is checked. */
  suspects: 4 * 1024 * 1024,
  /** Of a spreadsheet, which is held as a whole. */
  sheet_file_bytes: 64 * 1024 * 1024,
  sheet_content_bytes: 512 * 1024 * 1024,
} as const;

/** Of a file that is sent to be imported, and of what is told of it. */
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
  reports: 100,
  name_length: 255,
  settings_bytes: 1024 * 1024,
  /** What is shown of a file: rows, cells of a row, columns or tags, reasons. */
  shown_rows: 3,
  shown_cells: 6,
  shown_columns: 2_000,
  shown_reasons: 100,
} as const;
