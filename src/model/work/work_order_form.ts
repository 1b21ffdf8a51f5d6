// What is said of work orders when they are made and changed: the forms of the requests.
import * as z from "zod";
import { limits } from "../../base/limits.ts";
import { work_limits } from "./limits.ts";
import { active_order_statuses, line_statuses, order_statuses, work_types } from "./work_order.ts";
import { textUpTo } from "../data/text_form.ts";
import { device_words, instant_form, work_words } from "./form.ts";

const external = textUpTo(work_limits.external_length).nullable();

const order_words = z.strictObject({
  title: textUpTo(work_limits.name_length).describe("Title."),
  description: work_words.description,
  priority: work_words.priority.describe("Priority; by default that of its issue."),
  due_date: instant_form.nullable().describe("When the work is due: ISO 8601 with an offset."),
  work_type: textUpTo(limits.key_length)
    .regex(/^[a-z][a-z0-9_]*$/, { error: "give a word of small letters, digits and _" })
    .describe(`Type of work: ${work_types.join(", ")}, or any other text.`),
  external_system: external.describe("Name of the external system."),
  external_id: work_words.external_id,
  external_ref: external.describe("Reference in the external system."),
  external_url: external.describe("URL in the external system."),
  payload: z.record(z.string(), z.unknown()).nullable()
    .refine(isPayload, {
      error: `give at most ${work_limits.payload_length} characters of JSON, nested at most ` +
        `${work_limits.payload_depth} deep, without numbers beyond 2^53, which lose digits`,
    })
    .describe("An object with any keys, stored as it is."),
  assigned_to: work_words.assigned_to,
}).partial().shape;

/** The form of a new work order. */
export const work_order_form = z.strictObject({
  issue_id: textUpTo(limits.key_length).describe("Active issue that it is under."),
  ...order_words,
  title: order_words.title.unwrap(),
  status: z.enum(active_order_statuses).default("open").describe("Its first status."),
  devices: z.array(z.strictObject(device_words)).max(work_limits.devices).optional()
    .describe("The devices to work on; by default those of the issue."),
  user: work_words.user,
}).meta({
  examples: [{
    issue_id: "01a1fe38-541b-70ad-b2cb-c9221f098df5",
    title: "Change the cooling fan",
    work_type: "corrective",
    due_date: "2026-06-05T16:00:00+02:00",
  }],
});
export type SentWorkOrder = z.output<typeof work_order_form>;

/** The form of a change: what is not said stays. */
export const work_order_change_form = z.strictObject({
  ...order_words,
  status: z.enum(order_statuses).optional().describe("Its new status, if its state allows it."),
  devices: z.array(z.strictObject({
    ...device_words,
    status: z.enum(line_statuses).optional()
      .describe("Status of the line; if left out it stays as it is, at first pending."),
  })).max(work_limits.devices).optional().describe("All its lines."),
  user: work_words.user,
}).meta({ examples: [{ status: "completed" }] });
export type SentWorkOrderChange = z.output<typeof work_order_change_form>;

/** Whether it can be kept as the payload of a work order. */
export function isPayload(payload: object | null): boolean {
  return isKept(payload, work_limits.payload_depth) &&
    JSON.stringify(payload).length <= work_limits.payload_length;
}

/**
 * Whether data stay as they were sent: nested no deeper, for what prints and reads them goes down
 * level by level, and without numbers that JSON's reader rounds or makes infinite.
 */
function isKept(data: unknown, depth: number): boolean {
  if (typeof data === "number") return Math.abs(data) <= Number.MAX_SAFE_INTEGER;
  if (typeof data !== "object" || data === null) return true;
  return depth > 0 && Object.values(data).every((value) => isKept(value, depth - 1));
}
