// An alarm: an occurrence, its condition and its place in the queue, its events, when it stood.
import { type Draft, json, nullsOf, oneOf, oneOfOrNull, type PlainRow } from "../data/row.ts";
import type { TimeSpan } from "../time/daylight.ts";

/** Places in the operators' queue: a fixed set. */
export const alarm_statuses = ["open", "claimed", "shelved", "resolved"] as const;
export type AlarmStatus = typeof alarm_statuses[number];

/** The usual severities, the most urgent first; an open set, of which others come last. */
export const alarm_severities = ["critical", "high", "medium", "low", "info"] as const;

/** How an occurrence ends: when it is cleared, when it is resolved, or when it is both. */
export const resolution_policies = ["auto", "manual", "require_both"] as const;
export type ResolutionPolicy = typeof resolution_policies[number];

/** The events that the service makes itself; a source's own types are kept as they are. */
export const alarm_event_types = [
  "raised",
  "claimed",
  "released",
  "shelved",
  "unshelved",
  "resolved",
  "reopened",
  "cleared",
  "reraised",
  "commented",
  "device_mapped",
  "source_updated",
  "not_applied",
] as const;

/** Who or what an event came from; a source's own kinds are kept as they are. */
export const alarm_event_kinds = ["lifecycle", "operator", "system", "source"] as const;

/** Whether the service's own rules watch an occurrence's condition, or a source system does. */
export const alarm_origins = ["rule", "source"] as const;

/**
 * Where a rule's alarms are judged: by every service that has it, each for itself; or once, by a
 * gateway, or by its centre.
 */
export const judging_places = ["here", "gateway", "centre"] as const;
export type JudgingPlace = typeof judging_places[number];

/** An occurrence as it is kept. */
export const occurrence_table = {
  /** Its number in this installation; `refOf` makes `svc_occurrence_ref` of it. */
  occurrence_no: "int64",
  /** The source system's ID, unique in its project. */
  occurrence_id: "text",
  project_no: "int32",
  site_no: "int32",
  origin: oneOf(alarm_origins),
  source: "text",
  /** Null for an alarm of a source system. */
  rule_no: "int32?",
  rule_name: "text",
  rule_version: "float64?",
  rule_description: "text?",
  kind: "text",
  severity: "text",
  alarm_class: "text?",
  is_nerc: "bool",
  status: oneOf(alarm_statuses),
  /** The status that a shelved occurrence returns to; null when it is not shelved. */
  resumes: oneOfOrNull(["open", "claimed"]),
  /** When a shelved occurrence returns by itself; null: not by time. */
  shelved_until: "instant?",
  /** The user who claimed it, while it is claimed or shelved from there. */
  claimed_by: "text?",
  resolution_policy: oneOf(resolution_policies),
  resolution: "text?",
  raised_at: "instant",
  source_ts: "instant?",
  updated_at: "instant",
  /** `updated_at` of the newest snapshot that its source sent; null for a rule's alarm. */
  sent_at: "instant?",
  synced_at: "instant",
  cleared_at: "instant?",
  raised_value: "float64",
  last_value: "float64?",
  peak_value: "float64?",
  peak_at: "instant?",
  recovered_value: "float64?",
  source_tag: "text",
  measure: "text?",
  /** The device that its tag is mapped to; its name, type and parent are the catalog's. */
  device_id: "text?",
  decoded_labels: json<readonly string[]>(),
  point_key: "text?",
  /** JSON of the rule's limits when it fired; null: the field is left out. */
  params: "text?",
  /** Recorded from samples that came after newer ones. */
  is_late: "bool",
  is_flood: "bool",
  is_chattering: "bool",
  /** Number of the occurrence that keeps it out of the queue. */
  inhibited_by: "int64?",
  events_total: "int32",
  first_feed_no: "int64",
  last_feed_no: "int64",
  /** Where its rule was judged when it was raised. */
  judged_at: oneOf(judging_places),
  /** Name of the gateway that judges it; null for what is judged here. */
  gateway: "text?",
} as const;

/** An occurrence as it is kept; instants are microseconds since 1970 UTC. */
export type Occurrence = PlainRow<typeof occurrence_table>;

/** What is decided of a new occurrence; the rest follows when it is stored. */
export type OccurrenceDraft = Draft<
  Omit<
    Occurrence,
    "occurrence_no" | "synced_at" | "events_total" | "first_feed_no" | "last_feed_no"
  >
>;

/** What a draft of an occurrence may leave out. */
export const occurrence_nulls = nullsOf(occurrence_table);

/** An event before it is stored; without an `event_id` it gets the next one of its occurrence. */
export type EventDraft = {
  readonly event_id?: string;
  readonly type: string;
  readonly kind: string;
  readonly created_at: number;
  readonly body?: string | null;
  readonly user_id?: string | null;
  readonly user_email?: string | null;
  readonly external_user_id?: string | null;
  /** Plain data. */
  readonly detail?: unknown;
};

/** An event as it is kept. */
export const alarm_event_table = {
  feed_no: "int64",
  synced_at: "instant",
  project_no: "int32",
  site_no: "int32",
  occurrence_no: "int64",
  occurrence_id: "text",
  event_id: "text",
  type: "text",
  kind: "text",
  created_at: "instant",
  body: "text?",
  user_id: "text?",
  user_email: "text?",
  external_user_id: "text?",
  /** JSON. */
  detail: "text?",
} as const;

/** An event as it is kept. */
export type AlarmEvent = PlainRow<typeof alarm_event_table>;

/** `svc_occurrence_ref` of an occurrence's number: as text it sorts like the number. */
export function refOf(occurrence_no: number): string {
  return `occ-${String(occurrence_no).padStart(12, "0")}`;
}

/** The number of a `svc_occurrence_ref`; undefined where the text is none. */
export function occurrenceNoOf(ref: string): number | undefined {
  return /^occ-\d{12}$/.test(ref) ? Number(ref.slice(4)) : undefined;
}

/** Whether an occurrence has ended by its policy: it never comes back, a new one is raised. */
export function hasEnded(
  { resolution_policy, status, cleared_at }: Pick<
    Occurrence,
    "resolution_policy" | "status" | "cleared_at"
  >,
): boolean {
  const resolved = status === "resolved";
  if (resolution_policy === "auto") return cleared_at !== null;
  return resolution_policy === "manual" ? resolved : resolved && cleared_at !== null;
}

/** What is looked at of an occurrence. */
type Spanned = Pick<
  Occurrence,
  "raised_at" | "cleared_at" | "updated_at" | "resolution_policy" | "status"
>;

/**
 * From when to when an alarm stood, whatever it did between; without end while it does. One that
 * was resolved by hand is no longer followed: it ends there.
 */
export function standingSpan(
  alarm: Spanned,
  events: readonly Pick<AlarmEvent, "type" | "created_at">[] = [],
): TimeSpan {
  const { raised_at: from_us, cleared_at, updated_at } = alarm;
  if (cleared_at !== null) return { from_us, to_us: cleared_at };
  if (!hasEnded(alarm)) return { from_us, to_us: Infinity };
  const resolved = events.findLast(({ type }) => type === "resolved");
  return { from_us, to_us: resolved?.created_at ?? updated_at };
}

/** The parts of it in which the condition held: not from a recovery until it was raised again. */
export function activeSpans(
  alarm: Spanned,
  events: readonly Pick<AlarmEvent, "type" | "created_at">[],
): readonly TimeSpan[] {
  const spans: TimeSpan[] = [];
  let { from_us, to_us } = standingSpan(alarm, events);
  let quiet_us: number | undefined;
  for (const { type, created_at } of events) {
    if (type === "cleared") quiet_us ??= created_at;
    if (type !== "reraised" || quiet_us === undefined) continue;
    spans.push({ from_us, to_us: quiet_us });
    from_us = created_at;
    quiet_us = undefined;
  }
  return [...spans, { from_us, to_us }].filter((span) => span.from_us < span.to_us);
}
