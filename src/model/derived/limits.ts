// Bounds of derived tags: how many, how long and how deep their formulas are, how far they look.

export const derived_limits = {
  site_tags: 5_000,
  formula_length: 20_000,
  // Tags that one formula names, brackets within brackets, derived tags upon derived tags.
  inputs: 500,
  nesting: 32,
  levels: 8,
  max_age_s: 300,
  max_age_most_s: 3_600,
  every_most_s: 3_600,
  // Samples of an input that are kept in memory; older ones are read again.
  recent_samples: 64,
  // What is not older than this is live: what was read for it is kept in memory.
  recent_ms: 600_000,
  // Spans of time that one read of old samples has.
  spans: 500,
} as const;
