// Bounds of what is asked of a lake.

/** Times in milliseconds, seconds and hours, as they are named. */
export const lake_limits = {
  /** A lake that did not answer is not asked again for so long. */
  rest_ms: 5000,
  /** A lake that takes longer to answer what is small is taken for away. */
  answer_ms: 10_000,
  /** The largest file of an extension. */
  extension_bytes: 256 * 1024 * 1024,
  /** What is said to those who ask meanwhile. */
  retry_after_s: 30,
  /** Files are put together and removed so seldom. */
  tend_ms: 24 * 3_600_000,
  /** What nobody needs now stays for so long, for those who read an older state. */
  old_hours: 24,
} as const;
