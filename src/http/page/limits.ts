// Bounds of the pages of the documentation.

export const page_limits = {
  /** How many are kept packed. */
  packed: 64,
  /** A section's text that the search looks through. */
  search_length: 4_000,
} as const;
