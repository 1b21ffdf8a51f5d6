// A change of an issue or a work order, in words that a gateway and its centre both know.
import * as z from "zod";
import { limits } from "../../base/limits.ts";
import { noteUpTo, textUpTo } from "../data/text_form.ts";
import { person_form } from "../upstream/alarm.ts";
import { upstream_limits } from "../upstream/limits.ts";
import { jsonIn } from "../upstream/upstream.ts";
import { history_kinds } from "./history.ts";
import { issue_sources, issue_statuses, work_priorities } from "./issue.ts";
import { work_limits } from "./limits.ts";
import { isLeft, isSameLine, line_statuses, order_statuses } from "./work_order.ts";
import { isPayload } from "./work_order_form.ts";

/** Microseconds since 1970 UTC. */
const instant = z.int();
const id_form = textUpTo(limits.name_length);
/** The keys of a device's site and its own, `site/key`; its id where it is in no site file. */
const device_form = textUpTo(2 * limits.name_length);
const note = noteUpTo(work_limits.told_text_length);
const word = textUpTo(work_limits.external_length);
const devices_form = <T extends z.ZodRawShape>(shape: T) =>
  z.array(z.strictObject({
    device_id: device_form,
    component: word,
    ...shape,
  })).max(work_limits.devices);

const common = {
  description: note.nullable(),
  priority: z.enum(work_priorities),
  external_id: word.nullable(),
  assigned_to: person_form.nullable(),
  created_by: person_form.nullable(),
  created_at: instant,
  deleted_at: instant.nullable(),
};

/** An issue in words that both sides know: people by their addresses, devices by their keys. */
export const shared_issue_form = z.strictObject({
  ...common,
  ...{ name: word, sentinel_tag: word.nullable(), source: z.enum(issue_sources) },
  ...{ effective_from: instant.nullable(), effective_to: instant.nullable() },
  ...{ status: z.enum(issue_statuses), resolved_at: instant.nullable() },
  /** Id of the issue that it was merged into. */
  merged_into: id_form.nullable(),
  devices: devices_form({
    effective_from: instant.nullable(),
    effective_to: instant.nullable(),
  }),
});
export type SharedIssue = z.output<typeof shared_issue_form>;

/** It is printed into answers as it is. */
const payload_text = z.string().max(work_limits.payload_length)
  .refine(isPayloadText, { error: "is no JSON of an object that is kept" });

function isPayloadText(text: string): boolean {
  const data = jsonIn(text);
  return typeof data === "object" && data !== null && !Array.isArray(data) && isPayload(data);
}

/** A work order in words that both sides know. */
export const shared_order_form = z.strictObject({
  ...common,
  ...{ issue_id: id_form, title: word, due_date: instant.nullable(), work_type: word },
  ...{ external_system: word.nullable(), external_ref: word.nullable() },
  ...{ external_url: word.nullable(), payload: payload_text.nullable() },
  status: z.enum(order_statuses),
  devices: devices_form({
    status: z.enum(line_statuses),
    completed_at: instant.nullable(),
  }),
});
export type SharedOrder = z.output<typeof shared_order_form>;

/** What of them is a field on its own, in the order in which a change is applied. */
export const issue_fields = [
  ...["name", "description", "priority", "sentinel_tag", "external_id", "effective_from"],
  ...["effective_to", "assigned_to", "status", "merged_into", "deleted_at"],
] as readonly (string & keyof SharedIssue)[];
export const order_fields = [
  ...["issue_id", "title", "description", "priority", "due_date", "work_type"],
  ...["external_system", "external_id", "external_ref", "external_url", "payload"],
  ...["assigned_to", "status", "deleted_at"],
] as readonly (string & keyof SharedOrder)[];

/** What a field of a device begins with: `device ["site","key","component"]`. */
const device_prefix = "device ";

/** The field that a device of an issue, or a line of a work order, is. */
export function deviceField({ device_id, component }: {
  readonly device_id: string;
  readonly component: string;
}): string {
  return device_prefix + JSON.stringify([device_id, component]);
}

/** The device and component of a field; undefined for any other field. */
export function deviceOfField(field: string) {
  if (!field.startsWith(device_prefix)) return undefined;
  const said = device_field.safeParse(jsonIn(field.slice(device_prefix.length))).data;
  return said && { device_id: said[0], component: said[1] };
}

const device_field = z.tuple([device_form, word]);

/** A field that a change sets; `before` is what whoever made it knew. */
const field_form = z.strictObject({ field: z.string(), before: z.json(), after: z.json() });
export type FieldChange = z.output<typeof field_form>;

/** The fields of a change, each with a value that it can have. */
function fieldsForm(names: readonly string[], shape: z.ZodRawShape, device: z.ZodType) {
  return z.array(field_form.superRefine(({ field, after }, context) => {
    const form = names.includes(field) ? shape[field] : deviceOfField(field) && device;
    const flaw = form === undefined ? "is no field" : (form as z.ZodType).safeParse(after).error;
    if (flaw === undefined) return;
    const message = typeof flaw === "string" ? flaw : flaw.issues[0].message;
    context.addIssue({ code: "custom", message: `${field}: ${message}`, input: after });
  })).max(4 * work_limits.devices);
}

/** A row of an issue's history as both sides have it. */
const told_row_form = z.strictObject({
  id: id_form,
  kind: z.enum(history_kinds),
  field: word.nullable(),
  previous_value: z.json(),
  next_value: z.json(),
  detail: z.json(),
  person: person_form.nullable(),
  created_at: instant,
});
export type ToldRow = z.output<typeof told_row_form>;

const owned = {
  /** A made one has the id of what was made: it is made once. */
  id: id_form,
  owner_id: id_form,
  /** When it was made, by the clock of who made it. */
  at_us: instant,
  /** Its place among the changes of its owner: later than each that its maker knew. */
  order_us: instant.nonnegative(),
  person: person_form.nullable(),
};

/** A change of one issue or work order in one write. */
export const work_change_form = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("issue"),
    ...owned,
    made: shared_issue_form.nullable(),
    fields: fieldsForm(
      issue_fields,
      shared_issue_form.shape,
      z.tuple([instant.nullable(), instant.nullable()]).nullable(),
    ),
    /** What it adds to the history. */
    told: z.array(told_row_form).max(upstream_limits.work_rows_whole),
  }),
  z.strictObject({
    kind: z.literal("work_order"),
    ...owned,
    made: shared_order_form.nullable(),
    fields: fieldsForm(
      order_fields,
      shared_order_form.shape,
      z.enum(line_statuses).nullable(),
    ),
  }),
]);
export type WorkChange = z.output<typeof work_change_form>;
export type IssueChange = Extract<WorkChange, { readonly kind: "issue" }>;
export type OrderChange = Extract<WorkChange, { readonly kind: "work_order" }>;

/** Whether two pieces of plain data are the same. */
export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

type PlainData = z.core.util.JSONType;

/** A field's value. */
export function valueOf(state: SharedIssue | SharedOrder, field: string): PlainData {
  const device = deviceOfField(field);
  if (device === undefined) return (state as Record<string, PlainData>)[field] ?? null;
  const found = (state.devices as SharedOrder["devices"]).find((it) => isSameLine(it, device));
  return found === undefined ? null : deviceValue(found);
}

type Device = SharedIssue["devices"][number] | SharedOrder["devices"][number];

function deviceValue(device: Device): PlainData {
  return "status" in device ? device.status : [device.effective_from, device.effective_to];
}

/** What differs between an issue before and after a change. */
export function issueDifference(before: SharedIssue, after: SharedIssue): FieldChange[] {
  return difference(issue_fields, before, after);
}

/** The same of a work order; what follows from its completion is no difference of its own. */
export function orderDifference(before: SharedOrder, after: SharedOrder): FieldChange[] {
  const isCompleting = before.status !== after.status && after.status === "completed";
  const devices = after.devices.map((line) => {
    const was = before.devices.find((it) => isSameLine(it, line)) ??
      { ...line, status: "pending" as const };
    return isCompleting && line.status === "completed" && isLeft(was) ? was : line;
  });
  return difference(order_fields, before, { ...after, devices });
}

function difference<S extends SharedIssue | SharedOrder>(
  fields: readonly string[],
  before: S,
  after: S,
): FieldChange[] {
  const at = fields.indexOf("status");
  const names = new Set([
    ...fields.slice(0, at),
    ...[...before.devices, ...after.devices].map(deviceField),
    ...fields.slice(at),
  ]);
  return [...names].map((field) => (
    { field, before: valueOf(before, field), after: valueOf(after, field) }
  )).filter(({ before, after }) => !isSame(before, after));
}
