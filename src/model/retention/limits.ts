// Bounds of retention: how short a time data may be kept, and how it is dropped.

export const retention_limits = {
  /** What a rule keeps at the least, in days. */
  keep_days_least: 35,
  keep_days_most: 36_525,
  /**
   * How much longer data stay than they can change, in days: what values look back at (a counter's
   * pace is taken from seven days) is there as long as they can be computed again.
   */
  seal_days: 10,
  /** Of those, the last in which a tag has a sample: else its last ones stay until it speaks. */
  spoken_days: 3,
  look_ms: 3_600_000,
  retry_ms: 60_000,
  /** How much of a day that comes back is stored by one statement. */
  recall_rows: 100_000,
  /** Free space is looked at so often. */
  space_ms: 60_000,
  free_percent_most: 50,
  rules: 100,
  /** Days over which the growth of the database is taken. */
  growth_days: 30,
} as const;
