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
  /** How many times as large its content may be. */
  sheet_content_factor: 8,
} as const;
