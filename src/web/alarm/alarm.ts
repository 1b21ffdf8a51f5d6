// What the page knows of an alarm, its place among the others, and which of them are looked for.
import { type AlarmStatus, hasEnded, type ResolutionPolicy } from "../../model/alarms/alarm.ts";
import type { AlarmEventRow, OccurrenceRow } from "../../model/alarms/shape.ts";
import { type Digit, digitOf } from "../parts/priority.tsx";

/** An event of an alarm's life. */
export type AlarmEvent =
  & Pick<
    AlarmEventRow,
    "event_id" | "type" | "kind" | "body" | "user_id" | "user_email" | "external_user_id"
  >
  & { readonly at_ms: number; readonly detail: Readonly<Record<string, unknown>> };

/** An alarm; instants are milliseconds since 1970 UTC, null where there is none. */
export type Alarm =
  & Pick<
    OccurrenceRow,
    | ("occurrence_id" | "svc_occurrence_ref" | "source" | "site" | "rule_name" | "rule_version")
    | ("kind" | "severity" | "resolution" | "raised_value")
    | ("last_value" | "peak_value" | "recovered_value" | "source_tag" | "measure" | "point_key")
    | ("rule_description" | "decoded_labels" | "alarm_class" | "is_nerc" | "device_id")
    | ("device_name" | "device_type" | "events_truncated" | "judged_at" | "gateway")
  >
  & {
    readonly status: AlarmStatus;
    readonly resolution_policy: ResolutionPolicy;
    readonly digit: Digit;
    readonly raised_ms: number;
    readonly cleared_ms: number | null;
    readonly peak_ms: number | null;
    readonly params: Readonly<Record<string, unknown>>;
    /** The oldest first. */
    readonly events: readonly AlarmEvent[];
  };

/** An alarm of a row as it is answered. */
export function alarmOf(row: OccurrenceRow): Alarm {
  return {
    ...row,
    status: row.status as AlarmStatus,
    resolution_policy: row.resolution_policy as ResolutionPolicy,
    digit: digitOf(row.severity),
    raised_ms: Date.parse(row.raised_at),
    cleared_ms: row.cleared_at === null ? null : Date.parse(row.cleared_at),
    peak_ms: row.peak_at === null ? null : Date.parse(row.peak_at),
    params: (row.params ?? {}) as Alarm["params"],
    events: row.events.map((event) => ({
      event_id: event.event_id,
      type: event.type,
      kind: event.kind,
      at_ms: Date.parse(event.created_at),
      body: event.body,
      user_id: event.user_id,
      user_email: event.user_email,
      external_user_id: event.external_user_id,
      detail: (event.detail ?? {}) as AlarmEvent["detail"],
    })),
  };
}

/** The lists that alarms are looked at in. */
export const tabs = ["needs", "returned", "shelved", "all"] as const;
export type Tab = typeof tabs[number];

/**
 * Where an alarm stands: it needs somebody; it returned to normal, and nobody attended to it or
 * somebody still has to end it; it is shelved; or it is done with.
 */
export function standingOf(alarm: Alarm): Exclude<Tab, "all"> | "done" {
  const { status, cleared_ms } = alarm;
  if (status === "shelved" || status === "resolved") return status === "shelved" ? status : "done";
  if (cleared_ms === null) return "needs";
  return status === "open" || !isOver(alarm) ? "returned" : "done";
}

/** Whether it has ended by its policy. */
export function isOver({ resolution_policy, status, cleared_ms: cleared_at }: Alarm): boolean {
  return hasEnded({ resolution_policy, status, cleared_at });
}

/** Whether an alarm belongs in a list. */
export function isIn(alarm: Alarm, tab: Tab): boolean {
  return tab === "all" || standingOf(alarm) === tab;
}

/** The most urgent first, then the newest; what has ended after what has not. */
export function byUrgency(a: Alarm, b: Alarm): number {
  const ended = Number(a.cleared_ms !== null) - Number(b.cleared_ms !== null);
  return a.digit - b.digit || ended || b.raised_ms - a.raised_ms ||
    (a.occurrence_id < b.occurrence_id ? -1 : 1);
}

/** What alarms are looked for by; what is left out lets all pass. */
export type Wanted = {
  readonly device_id?: string;
  readonly digits?: readonly Digit[];
  /** Words that must all be in its name, device, tag, labels or class. */
  readonly text?: string;
};

/** Whether an alarm is wanted. */
export function isWanted(alarm: Alarm, { device_id, digits, text = "" }: Wanted): boolean {
  if (device_id !== undefined && alarm.device_id !== device_id) return false;
  if (digits !== undefined && !digits.includes(alarm.digit)) return false;
  const words = text.toLocaleLowerCase().split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return true;
  const { rule_name, device_name, source_tag, alarm_class, svc_occurrence_ref } = alarm;
  const said = [rule_name, device_name, source_tag, alarm_class, svc_occurrence_ref]
    .concat(alarm.decoded_labels).join(" ").toLocaleLowerCase();
  return words.every((word) => said.includes(word));
}

/** Who claimed it, while it is claimed. */
export function claimOf({ status, events }: Alarm): AlarmEvent | undefined {
  return status === "claimed" ? events.findLast(({ type }) => type === "claimed") : undefined;
}

/** Until when it is shelved, where that is by time. */
export function shelvedUntil({ status, events }: Alarm): number | undefined {
  if (status !== "shelved") return undefined;
  const until = events.findLast(({ type }) => type === "shelved")?.detail.until;
  return typeof until === "string" ? Date.parse(until) : undefined;
}

/** Whether it came up to be attended to: not kept out of the queue by another from its start. */
export function isAnnunciated({ raised_ms, events }: Alarm): boolean {
  const shelved = events.find(({ type }) => type === "shelved");
  return !(shelved?.detail.inhibited_by !== undefined && shelved.at_ms - raised_ms < 60_000);
}
