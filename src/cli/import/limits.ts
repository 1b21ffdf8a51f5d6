// Bounds of the command that imports.

export const cli_limits = {
  map_bytes: 8 * 1024 * 1024,
  /** Of the database: what is stored is hardly read again, and would fill all that it may have. */
  import_memory_mb: 512,
  /** Columns and tags that a dry run prints. */
  shown_columns: 200,
  /** Reasons of rejections that the mark of an import keeps. */
  kept_reasons: 100,
} as const;
