// What an event of a condition (OPC UA Part 9) makes of the alarm that stands for it.
import { limits } from "../../base/limits.ts";
import { alarm_limits } from "../alarms/limits.ts";
import type { SentState, SnapshotRow } from "../alarms/row.ts";
import { plainText } from "../data/text_form.ts";

/** The state of a condition, as an event of it says; null: it does not say. */
export type ConditionEvent = {
  /** Id of the condition's node. */
  readonly condition: string;
  readonly name: string | null;
  readonly event_type: string;
  readonly source_node: string | null;
  readonly source_name: string | null;
  readonly input_node: string | null;
  readonly message: string | null;
  readonly comment: string | null;
  /** From 1 to 1000. */
  readonly severity: number;
  readonly at_us: number;
  readonly is_enabled: boolean;
  /** Null where it has no such state: then `is_retained` tells. */
  readonly is_active: boolean | null;
  /** When it became active, or ended. */
  readonly turned_us: number | null;
  /** Whether it still matters to anybody. */
  readonly is_retained: boolean;
  readonly is_acknowledged: boolean | null;
  readonly is_confirmed: boolean | null;
};

/** What stands for a condition: the newest alarm of it. */
export type ConditionAlarm = { readonly occurrence_id: string; readonly state: SentState };

/** Where the conditions of a source come from. */
export type ConditionScene = {
  /** Key of the source. */
  readonly source: string;
  readonly site: string;
  readonly alarm_class: string | null;
  /** One that is less severe is not raised. */
  readonly severity_from: number;
  /** The site's device of an event, and the tag that it is about. */
  placeOf(event: ConditionEvent): { readonly device?: string; readonly tag?: string };
};

/** The kind of alarms that stand for conditions. */
export const condition_kind = "condition";

/**
 * The snapshots to store after an event, the oldest first. Events count in the order in which they
 * come: the server's clock may be set. With `after_gap` it may have ended and begun unseen.
 */
export function followCondition(
  known: ConditionAlarm | undefined,
  { event, after_gap, scene }: {
    readonly event: ConditionEvent;
    readonly after_gap: boolean;
    readonly scene: ConditionScene;
  },
): readonly SnapshotRow[] {
  const is_active = event.is_enabled && (event.is_active ?? event.is_retained);
  const since_us = event.turned_us ?? event.at_us;
  const has_turned = after_gap && (known === undefined ||
    event.turned_us !== null && event.turned_us > known.state.updated_at);
  const next = (raised_at: number, cleared_at: number | null) =>
    conditionRow(event, { scene, known, is_new: false, raised_at, cleared_at });
  const first = (cleared_at: number | null) =>
    conditionRow(event, { scene, known, is_new: true, raised_at: since_us, cleared_at });
  const is_severe = event.severity >= scene.severity_from;
  if (known?.state.cleared_at === null) {
    const { raised_at } = known.state;
    if (!is_active) return [next(raised_at, Math.max(since_us, raised_at))];
    if (!has_turned) return [next(raised_at, null)];
    return [clearedRow(known, { at_us: since_us, site: scene.site }), first(null)];
  }
  if (is_active) return is_severe ? [first(null)] : [];
  // One that came and went, and that still waits for somebody.
  if (has_turned && event.is_enabled && event.is_retained && is_severe) return [first(since_us)];
  return known === undefined ? [] : [next(known.state.raised_at, known.state.cleared_at)];
}

/** The alarm of a condition that the server does not have any more. */
export function clearedRow(
  { occurrence_id, state }: ConditionAlarm,
  { at_us, site }: { readonly at_us: number; readonly site: string },
): SnapshotRow {
  const cleared_at = Math.max(at_us, state.raised_at);
  const updated_at = Math.max(at_us, state.updated_at);
  return rowWith({ occurrence_id, site, state: { ...state, cleared_at, updated_at } });
}

/** OPC UA's severity, from 1 to 1000, as a word: a fifth of the scale each. */
export function severityWord(severity: number): string {
  const [word] = severities.find(([, from]) => severity >= from)!;
  return word;
}

const severities = [
  ["critical", 801],
  ["high", 601],
  ["medium", 401],
  ["low", 201],
  ["info", -Infinity],
] as const;

/** The condition that an alarm stands for; undefined where it stands for none. */
export function conditionOf({ params }: Pick<SentState, "params">): string | undefined {
  const { condition } = JSON.parse(params ?? "{}");
  return typeof condition === "string" ? condition : undefined;
}

function conditionRow(
  event: ConditionEvent,
  { scene, known, is_new, raised_at, cleared_at }: {
    readonly scene: ConditionScene;
    readonly known: ConditionAlarm | undefined;
    readonly is_new: boolean;
    readonly raised_at: number;
    readonly cleared_at: number | null;
  },
): SnapshotRow {
  const before = is_new ? undefined : known;
  const { severity, is_acknowledged, is_confirmed } = event;
  const { device, tag } = scene.placeOf(event);
  const name = plainText(event.name ?? "", alarm_limits.word_length) || "condition";
  const owner = event.source_name ?? event.source_node ?? "server";
  const params = {
    condition: event.condition,
    event_type: event.event_type,
    severity,
    ...(is_acknowledged === null ? {} : { acknowledged: is_acknowledged }),
    ...(is_confirmed === null ? {} : { confirmed: is_confirmed }),
    ...(event.comment ? { comment: event.comment.slice(0, alarm_limits.note_length) } : {}),
  };
  const state: SentState = {
    ...{ source: scene.source, kind: condition_kind, rule_name: name, rule_version: null },
    rule_description: plainText(event.message ?? "", alarm_limits.note_length) || null,
    ...{ severity: severityWord(severity), alarm_class: scene.alarm_class, is_nerc: false },
    resolution_policy: "auto",
    ...{ raised_at, cleared_at, source_ts: event.at_us },
    updated_at: Math.max(event.at_us, known?.state.updated_at ?? raised_at),
    ...{ raised_value: before?.state.raised_value ?? severity, last_value: severity },
    ...{ peak_value: null, peak_at: null, recovered_value: null },
    source_tag: tag ?? plainText(`${scene.source}.${owner}.${name}`, limits.tag_length),
    ...{ measure: null, decoded_labels: [], point_key: null },
    params: JSON.stringify(params),
  };
  const occurrence_id = before?.occurrence_id ?? occurrenceId({ event, scene, raised_at });
  const named = device ?? event.source_name ?? undefined;
  return rowWith({ occurrence_id, site: scene.site, device: named, state });
}

/** The same for the same beginning of the same condition, however often it is seen. */
function occurrenceId(
  { event, scene, raised_at }: {
    readonly event: ConditionEvent;
    readonly scene: ConditionScene;
    readonly raised_at: number;
  },
): string {
  const text = plainText(`${event.condition}:${raised_at}`, Infinity);
  // What tells long names apart is mostly at their end.
  return `${scene.source}:${text.slice(scene.source.length + 1 - alarm_limits.word_length)}`;
}

function rowWith(row: Pick<SnapshotRow, "occurrence_id" | "site" | "device" | "state">) {
  return { line: 0, queue: null, events: [], ...row };
}
