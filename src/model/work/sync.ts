// What another system says of issues: the form of a call, and what each item of it came to.
import * as z from "zod";
import { limits } from "../../base/limits.ts";
import { work_limits } from "./limits.ts";
import { parseWork } from "./form.ts";
import { textUpTo } from "../data/text_form.ts";

/** Status and priority are any texts here: a wrong word is the item's matter, not the call's. */
const item_form = z.strictObject({
  issue_id: z.string().min(1).max(limits.name_length).describe("The issue."),
  status: z.string().max(limits.name_length).optional()
    .describe("New status: open, in_progress, on_hold, resolved or closed."),
  priority: z.string().max(limits.name_length).optional()
    .describe("Priority: urgent, high, medium or low."),
  assignee: z.string().max(limits.name_length).nullable().optional()
    .describe("User of the organization, by id or e-mail; null for nobody."),
  external_id: textUpTo(work_limits.external_length).nullable().optional()
    .describe("The issue's id in the calling system, stored with the issue; null for none."),
});

/** The form of a call. */
export const sync_form = z.strictObject({
  organization_id: z.string().min(1).describe("Organization of the project, by id or key."),
  project_id: z.string().min(1).describe("Project of the issues, by id or key."),
  delivery_id: textUpTo(work_limits.delivery_id_length).describe(
    "Id of the request, unique in the project for all callers. A repeat within 15 minutes " +
      "changes nothing and gets the same answer.",
  ),
  issues: z.array(item_form).min(1).max(work_limits.sync_items)
    .describe("The new values of each issue; fields that are left out stay as they are."),
}).meta({
  examples: [{
    organization_id: "01a1fe38-541b-70ad-b2cb-c9221f098df5",
    project_id: "01a1fe38-541b-70ad-b2cb-c9221f098df6",
    delivery_id: "cmms-2026-06-01-0001",
    issues: [{
      issue_id: "01a1fe38-541b-70ad-b2cb-c9221f098df7",
      status: "in_progress",
      assignee: "anna@example.org",
      external_id: "WO-4711",
    }],
  }],
});

/** A call, and what it says of an issue. */
export type SyncOrder = z.output<typeof sync_form>;
export type SyncItem = SyncOrder["issues"][number];

/** Why an item changed nothing. */
const sync_reasons = [
  "unknown_issue",
  "invalid_status",
  "invalid_transition",
  "unknown_assignee",
  "invalid_priority",
] as const;
export type SyncReason = typeof sync_reasons[number];

const result_schema = z.strictObject({
  external_id: z.string().nullable().describe("The issue's id in the calling system."),
  issue_id: z.string(),
  status: z.enum(["updated", "unchanged", "not_found", "rejected"]),
  reason: z.enum(sync_reasons).nullable().describe(
    "Why the item was not applied: the project has no such issue, there is no such status or " +
      "priority, the issue's status does not allow it, or the organization has no such active " +
      "user.",
  ),
});

/** JSON of the answer. */
export const sync_answer_schema = z.strictObject({
  ok: z.literal(true),
  applied: z.int().describe("Items that changed something."),
  results: z.array(result_schema).describe("One for each item, in their order."),
  duplicate: z.literal(true).optional()
    .describe(
      "True if a request with this delivery_id was applied before; this one changed nothing.",
    ),
});

/** What a call came to, and an item of it. */
export type SyncAnswer = z.output<typeof sync_answer_schema>;
export type SyncResult = z.output<typeof result_schema>;

/** A call in plain data. Throws a `Fault` (invalid) with every flaw. */
export function parseSync(data: unknown): SyncOrder {
  return parseWork(sync_form, data);
}
