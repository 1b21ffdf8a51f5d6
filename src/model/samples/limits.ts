// Bounds of samples, tags and signals.

export const sample_limits = {
  rows: 1_000_000,
  /** They fill three row groups of the database. */
  rows_per_transaction: 55_296,
  future_us: 10 * 60 * 1_000_000,
  /** So many rows a millisecond are a rush: five times what the largest plant sends. */
  rush_rows_per_ms: 100,
  /** They come for at least so long: a large body alone is no rush. */
  rush_least_ms: 250,
  /** How long, and up to how many rows, the roll-up stays behind then. */
  rush_ms: 3_000,
  rush_waiting_rows: 2_000_000,
  /** The same where none of them is new: nobody waits at a screen for what is long over. */
  history_ms: 30_000,
  history_waiting_rows: 24_000_000,
  /** How often row groups are tried to be made small, where something is in the way. */
  group_retry_ms: 10_000,
  /** How old samples are new, and how long it is ago that some came where none do. */
  new_ms: 15 * 60 * 1_000,
  rush_look_ms: 1_000,
  /** How far off a bare number's instant may be before its unit is taken for another one. */
  stamp_reach_us: 3_653 * 86_400 * 1_000_000,
  text_value_length: 8 * 1024,
  text_row_length: 256,
  tags_per_project: 100_000,
  /** Of tag names as bodies spell them, over all projects. */
  tag_cache_bytes: 64 * 1024 * 1024,
  /** How far back the last sample of a silent sensor is looked for. */
  head_look_us: 35 * 86_400 * 1_000_000,
  /** How far in the future the last sample of a sensor may be before it is told. */
  ahead_us: 60 * 1_000_000,
  /** How far back powers beyond their rating are looked for: their quarter-hours are all kept. */
  excess_look_us: 30 * 86_400 * 1_000_000,
  /** Within these shares of the rated power a greatest power is taken for one in another unit. */
  unit_least_share: 0.02,
  unit_most_share: 1.5,
  /** In a measure's unit; all sums over years and sensors stay far within a double's range. */
  mapped_value: 1e290,
  /** A page is first looked for where it would have a row of each line in such a time. */
  row_span_us: 60_000_000,
  span_growth: 64,
  /** How much nearer to its first stamp the end of a replay's page is looked for each time. */
  replay_share: 8,
  /** So many ends of pages of replays are remembered, up to three by each page. */
  replay_ends: 1_000,
  /** How far the next one is thought to reach, in times that the one before it spans. */
  replay_next_share: 1.5,
  /** How many rows are read at most for one whose end is guessed, in pages. */
  replay_guess_share: 4,
  /** How many rows are read for a page at most, or counted for its end at first, in pages. */
  window_share: 2,
  /** How many tags a header names that were asked for and do not exist. */
  unknown_tags_shown: 20,
  /** Of a query in PromQL: series, instants, values of a part, samples, samples looked at. */
  prom_series: 10_000,
  prom_instants: 11_000,
  prom_cells: 1_000_000,
  /** Values that it makes on the way to its answer, that one included. */
  prom_made: 4_000_000,
  prom_samples: 2_000_000,
  prom_steps: 200_000_000,
  prom_turn_steps: 1_000_000,
  latest_reach_us: 24 * 3600 * 1_000_000,
  stream_values_ms: 1_000,
  /** Of the rows of newest values that are kept as they were printed, over all projects. */
  latest_kept_length: 8 * 1024 * 1024,
  /** Rows of a closed day, whole tags: taken at a time, put in order in a transaction, in a lot. */
  order_taken: 1_000_000,
  order_rows: 245_000,
  order_lot: 40_000,
  /** Whole quarter-hours that are unfolded in a transaction: their minutes fill row groups. */
  order_quarters: 8192,
  /** A table's day is put in order again once this share of its rows came after that. */
  order_share: 0.05,
  /** No day is put in order while the disk has less: samples that come need it. */
  order_free_bytes: 512 * 1024 * 1024,
  order_look_ms: 600_000,
  order_retry_ms: 60_000,
  /** How long ordering waits for other work; and rests, in times that it took. */
  order_wait_ms: 1_000,
  order_rest: 4,
} as const;
