// Bounds of the command that imports.

export const cli_limits = {
  map_bytes: 8 * 1024 * 1024,
  /** Columns and tags that a dry run prints. */
  shown_columns: 200,
} as const;
