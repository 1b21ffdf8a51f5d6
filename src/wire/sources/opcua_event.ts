// What an event of an OPC UA server says: which fields are asked for, and what they become.
import type { ConditionEvent } from "../../model/sources/condition.ts";

/** Types of events, as the standard numbers them. */
export const event_types = {
  refresh_start: "ns=0;i=2787",
  refresh_end: "ns=0;i=2788",
  refresh_required: "ns=0;i=2789",
  overflow: "ns=0;i=3035",
  condition: "ns=0;i=2782",
} as const;

const [base, condition, acknowledgeable, alarm] = ["i=2041", "i=2782", "i=2881", "i=2915"];

/** The fields of an event: by the type that has them, and the path below it; none: its node. */
export const event_fields = {
  type: [base, "EventType"],
  source_node: [base, "SourceNode"],
  source_name: [base, "SourceName"],
  at: [base, "Time"],
  message: [base, "Message"],
  severity: [base, "Severity"],
  condition: [condition],
  name: [condition, "ConditionName"],
  branch: [condition, "BranchId"],
  retain: [condition, "Retain"],
  comment: [condition, "Comment"],
  enabled: [condition, "EnabledState", "Id"],
  acknowledged: [acknowledgeable, "AckedState", "Id"],
  confirmed: [acknowledgeable, "ConfirmedState", "Id"],
  active: [alarm, "ActiveState", "Id"],
  turned: [alarm, "ActiveState", "TransitionTime"],
  input_node: [alarm, "InputNode"],
} as const satisfies Readonly<Record<string, readonly [type: string, ...path: string[]]>>;

type Field = keyof typeof event_fields;
const names = Object.keys(event_fields) as readonly Field[];

/** A field of an event as it comes. */
export type EventField = { readonly value?: unknown } | null;

/** An event: what a client has to do, or how a condition is. */
export type ServerEvent =
  | { readonly kind: "refresh_start" | "refresh_required" | "overflow" | "other" }
  | { readonly kind: "refresh_end"; readonly at_us: number }
  | { readonly kind: "condition"; readonly event: ConditionEvent };

/**
 * The event that fields, in the order of `event_fields`, say. `now_us` where it says no instant, or
 * one beyond `latest_us`.
 */
export function serverEvent(
  fields: readonly EventField[],
  { now_us, latest_us }: { readonly now_us: number; readonly latest_us: number },
): ServerEvent {
  const value = (name: Field) => fields[names.indexOf(name)]?.value ?? null;
  const instant = (name: Field) => {
    const at = value(name);
    if (!(at instanceof Date) || Number.isNaN(at.getTime()) || at.getTime() <= 0) return null;
    return at.getTime() * 1000 > latest_us ? now_us : at.getTime() * 1000;
  };
  const type = node(value("type")) ?? "";
  const at_us = instant("at") ?? now_us;
  switch (type) {
    case event_types.refresh_start:
      return { kind: "refresh_start" };
    case event_types.refresh_end:
      return { kind: "refresh_end", at_us };
    case event_types.refresh_required:
      return { kind: "refresh_required" };
    case event_types.overflow:
      return { kind: "overflow" };
  }
  const condition = node(value("condition"));
  // A branch is an earlier state of a condition that waits to be acknowledged.
  if (condition === undefined || node(value("branch")) !== undefined) return { kind: "other" };
  const event: ConditionEvent = {
    ...{ condition, event_type: type, at_us },
    name: text(value("name")),
    source_node: node(value("source_node")) ?? null,
    // Some servers write the number of the namespace before it.
    source_name: text(value("source_name"))?.replace(/^\d+:/, "") ?? null,
    input_node: node(value("input_node")) ?? null,
    message: text(value("message")),
    comment: text(value("comment")),
    severity: Math.min(1000, Math.max(1, Number(value("severity")) || 1)),
    is_enabled: flag(value("enabled")) ?? true,
    is_active: flag(value("active")),
    turned_us: instant("turned"),
    is_retained: flag(value("retain")) ?? false,
    is_acknowledged: flag(value("acknowledged")),
    is_confirmed: flag(value("confirmed")),
  };
  return { kind: "condition", event };
}

function flag(value: unknown): boolean | null {
  return typeof value === "boolean" ? value : null;
}

/** A text, in one language or without. */
function text(value: unknown): string | null {
  if (typeof value === "string") return value;
  const { text } = Object(value) as { readonly text?: unknown };
  return typeof text === "string" ? text : null;
}

/** A node id in full; undefined where it is none. */
function node(value: unknown): string | undefined {
  if (value === null) return undefined;
  const said = `${value}`;
  return said === "ns=0;i=0" ? undefined : said;
}
