// Bounds of forwarding to a centre: how much goes at once, how long it takes, what is kept of it.

export const upstream_limits = {
  /** What was stored is sent so often, and so much of it as live; the rest is backlog. */
  live_ms: 5_000,
  live_window_us: 60 * 1_000_000,
  /** The backlog goes in blocks of storing time, each in bodies of whole tags. */
  block_us: 3_600 * 1_000_000,
  block_rows: 500_000,
  body_rows: 50_000,
  body_rows_least: 500,
  /** Bodies are as large as the line takes in such a time: what is live waits no longer. */
  body_ms: 2_000,
  send_ms: 60_000,
  answer_bytes: 8 * 1024 * 1024,
  /** How often the centre is told how it goes, and asked for its projects. */
  meet_ms: 50_000,
  /** How often while the gateway is further behind than that. */
  meet_behind_ms: 10_000,
  behind_s: 15,
  /** So many gateways a centre remembers of an organization, those heard last. */
  gateways: 1_000,
  /** Machines with the same token, those heard last. */
  gateway_names: 20,
  retry_ms: 1_000,
  retry_most_ms: 30_000,
  /** The longest time that a centre's `Retry-After` is heeded. */
  retry_after_ms: 3_600_000,
  /** Spans that a project's waiting rows are told by; the closest are joined. */
  spans: 1_000,
  kbit_most: 10_000_000,
  day_rows: 400,
  rate_ms: 60_000,
  /** For how long, at most, the count of waiting rows is told again. */
  count_ms: 60_000,
  shown_spans: 20,
  /** Tags whose hours are compared with one question, of a day. */
  digest_tags: 2_000,
  /** Versions of a project that a centre keeps beside the newest of each site, and its gateways. */
  versions: 50,
  /** Versions of a site that a gateway keeps, beside the one in force. */
  pulled: 10,
  /** A version's content as it is packed. */
  version_bytes: 4 * 1024 * 1024,
  /** Sites that a centre offers a gateway at once. */
  offers: 200,
  reason_length: 1_000,
  /** The time of a trial, in seconds, and how often the service may start within one. */
  trial_s: 300,
  trial_least_s: 10,
  trial_most_s: 86_400,
  trial_starts: 3,
  /** How long a version waits for sources that were begun just before, and are not read yet. */
  settle_ms: 60_000,
  /** How often it is looked whether the sources are read again. */
  trial_look_ms: 1_000,
  /** Codes for gateways that wait to be used, of an organization, and for how long. */
  codes: 100,
  code_ms: 3_600_000,
  enrol_bytes: 4 * 1024,
  digest_bytes: 4 * 1024 * 1024,
  /** How often the centre is asked what was done with alarms, where there is nothing to tell. */
  alarm_ms: 10_000,
  /** Events that one exchange tells, of one alarm once all of them. */
  alarm_events: 500,
  alarm_events_whole: 5_000,
  alarm_bytes: 8 * 1024 * 1024,
  /** How often alarms that the centre does not take are told again, and how many at once. */
  alarm_aside_ms: 600_000,
  alarm_asides: 50,
  /** Changes of work that one exchange tells each way, and how many characters they have. */
  work_changes: 500,
  work_length: 2 * 1024 * 1024,
  work_bytes: 8 * 1024 * 1024,
  /** One change as it is told again: an answer has room for it. */
  work_change_bytes: 6 * 1024 * 1024,
  /** Rows of history that an issue brings with it when it is told for the first time. */
  work_rows_whole: 10_000,
  /** So many issues and work orders are made ready to be told in one write. */
  work_share: 200,
  work_ms: 10_000,
  /** For so long changes are kept one by one, and so many of an issue or a work order at most. */
  work_keep_us: 30 * 86_400 * 1_000_000,
  work_keep_changes: 200,
  /** Who did not ask for so long reads the log no longer; without readers there is none. */
  work_reader_us: 90 * 86_400 * 1_000_000,
  /** How often it is looked for what is older, and how many are looked at in one write. */
  work_fold_ms: 3_600_000,
  work_fold: 100,
  /** Sites of a project at one gateway. */
  work_sites: 1_000,
  work_aside_ms: 600_000,
  /** Bytes of a photo that go at once, the first time and later, as the line takes them. */
  photo_part_first: 32 * 1024,
  photo_part_least: 4 * 1024,
  photo_part: 256 * 1024,
  /** How soon a photo is asked for again that the centre itself still waits for. */
  photo_later_ms: 60_000,
  /** A gateway that was not heard for so long is away. */
  away_ms: 60_000,
  /** So often where each gateway is goes to the disk, beside what it has to. */
  mark_ms: 60_000,
  report_bytes: 512 * 1024,
} as const;
