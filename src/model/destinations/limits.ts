// Bounds of destinations: how many, what goes to them at once, how long it takes.

export const destination_limits = {
  project_destinations: 20,
  body_bytes: 16 * 1024,
  tag_patterns: 100,
  secret_length: 4_096,
  /** How often a destination is looked at whether anything waits for it. */
  look_ms: 5_000,
  /** A request, or a confirmation of a broker, is waited for so long. */
  send_ms: 60_000,
  /** Rows of tags that are read at once. */
  read_rows: 200_000,
  /** What is stored in one go is looked for in steps that grow from this. */
  step_us: 3_600 * 1_000_000,
  /** Samples of a piece where their order counts, and of a body. */
  body_rows: 10_000,
  /** So many bodies of a piece are halved to find the samples that are refused. */
  halvings: 200,
  /** Labels that series get beside their own. */
  labels: 20,
  /** Metrics of a message of Sparkplug. */
  metrics: 500,
  /** How long a primary host is waited for. */
  host_ms: 5_000,
  /** An object is put in parts of this size (5 MiB is the least that stores take). */
  part_bytes: 8 * 1024 * 1024,
} as const;
