// Bounds of counters: what counts as possible, when a new level is believed, declared resets.

export const counter_limits = {
  /** How much more than at its rated power a device can count. */
  rated_factor: 1.5,
  /** The last digit of a register that counts finely, in the measure's unit (1 kWh). */
  coarse_digit: 1000,
  /** Without a rated power: how many times as fast as usual, and what usual is taken from. */
  median_factor: 100,
  median_differences: 100,
  median_differences_least: 10,
  median_look_s: 7 * 86_400,
  /** Readings in a row that make a new level a track; those that stand still prove less. */
  agreeing_readings: 3,
  standing_readings: 10,
  /** Where nothing says what is possible: how near the ends of its range a register wraps. */
  wrap_share: 0.1,
  /** A difference over a longer time is not spread but falls to the later reading. */
  spread_s: 3600,
  /**
   * How many minutes lie between the first and the last one that such a difference touches, at
   * most; and up to how many it is matched minute by minute all the same.
   */
  span_minutes: 61,
  close_minutes: 3,
  look_s: 400 * 86_400,
  reset_body_bytes: 4096,
  /** Declared resets that requests may add; a site file's are bounded by its own list. */
  resets_per_counter: 1000,
  resets_per_project: 10_000,
} as const;
