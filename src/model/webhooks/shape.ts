// What a webhook looks like on its way: its headers, its envelope, the data of each type.
import { occurrence_columns } from "../alarms/shape.ts";
import type { Column, RowOf } from "../data/column.ts";
import { rowSchema } from "../data/column_schema.ts";
import { issue_columns } from "../work/issue_shape.ts";
import { project_column } from "../work/shape.ts";
import { webhook_types, type WebhookType } from "./webhook.ts";
import { work_order_columns } from "../work/work_order_shape.ts";

/** The headers of every attempt, by name, but those that the subscription adds. */
export const webhook_header_docs = {
  "x-svc-signature": "Signatures: t=<Unix seconds>,v1=<hex HMAC-SHA256>,v1a=<hex Ed25519>. There " +
    "are two v1 while a secret is replaced, and two v1a while a key is replaced.",
  "x-svc-event-id": "Event ID, as in the envelope; the same on every attempt.",
  "x-svc-event-type": "Event type, as in the envelope.",
  "webhook-id": "Event ID, for Standard Webhooks.",
  "webhook-timestamp": "Time of the attempt, Unix seconds (t), for Standard Webhooks.",
  "webhook-signature": "Signatures for Standard Webhooks, separated by spaces: v1, whose key is " +
    "the decoded base64 of the secret, and v1a.",
} as const satisfies Readonly<Record<string, string>>;

/** The fields of the envelope but its data. */
export const envelope_columns = [
  {
    name: "schema_version",
    kind: "int32",
    nullable: false,
    doc: "Version of the envelope and of the data. It changes only when a change would break " +
      "receivers.",
  },
  {
    name: "id",
    kind: "text",
    nullable: false,
    doc: "Event ID; the same on every attempt and in a replay. Use it to process each event only " +
      "once.",
  },
  { name: "type", kind: "text", nullable: false, values: webhook_types, doc: "Event type." },
  { name: "occurred_at", kind: "instant", nullable: false, doc: "When it occurred." },
  { name: "organization_id", kind: "text", nullable: false, doc: "Organization." },
  { name: "project_id", kind: "text", nullable: false, doc: "Project." },
] as const satisfies readonly Column[];

const flood_columns = [
  {
    name: "occurrences",
    kind: "int32",
    nullable: false,
    doc: "Number of alarms that were raised at the same time.",
  },
  {
    name: "occurrence_ids",
    kind: "text",
    nullable: false,
    json: { type: "array", items: { type: "string" } },
    doc: "The newest of them.",
  },
] as const satisfies readonly Column[];

const alarm_columns = [
  ...occurrence_columns,
  {
    name: "flood",
    kind: "text",
    nullable: false,
    optional: true,
    json: rowSchema(flood_columns),
    doc: "All alarms of a site's flood that were raised at the same time: they share one event.",
  },
] as const satisfies readonly Column[];

const deleted_issue_columns = [
  { name: "id", kind: "text", nullable: false, doc: "ID of the deleted issue." },
  { name: "name", kind: "text", nullable: false, doc: "Its name." },
] as const satisfies readonly Column[];

const deleted_order_columns = [
  { name: "id", kind: "text", nullable: false, doc: "ID of the deleted work order." },
  { name: "title", kind: "text", nullable: false, doc: "Its title." },
] as const satisfies readonly Column[];

const report_columns = [
  { name: "project_id", kind: "text", nullable: false, doc: "Project." },
  project_column,
  { name: "name", kind: "text", nullable: false, doc: "Its name, the title of the report." },
  {
    name: "sites",
    kind: "text",
    nullable: false,
    json: { type: "array", items: { type: "string" } },
    doc: "Names of its sites.",
  },
  { name: "month", kind: "text", nullable: false, doc: "The month, YYYY-MM, in its time zone." },
  { name: "timezone", kind: "text", nullable: false, doc: "Its time zone, an IANA name." },
  { name: "from", kind: "instant", nullable: false, doc: "Start of the month, with its offset." },
  {
    name: "to",
    kind: "instant",
    nullable: false,
    doc: "End of the month, which is the start of the next one, with its offset.",
  },
  {
    name: "coverage",
    kind: "float64",
    nullable: true,
    doc: "Share of the month's daylight minutes of all inverters that has both a measured and an " +
      "expected value, 0 to 1. Null without such inverters.",
  },
  {
    name: "link",
    kind: "text",
    nullable: true,
    doc: "Address of the report: at public_url, or else at host and port. Null if neither is set.",
  },
] as const satisfies readonly Column[];

/** What is told of a month as JSON has it. */
export type ReportRow = RowOf<typeof report_columns>;

const test_columns = [
  { name: "subscription_id", kind: "text", nullable: false, doc: "Subscription that is tested." },
  { name: "name", kind: "text", nullable: false, doc: "Its name." },
] as const satisfies readonly Column[];

/** The data of events, by name: what it is in words, and its JSON Schema. */
export const webhook_data = {
  AlarmOfWebhook: { doc: "The alarm, with its newest 50 events.", columns: alarm_columns },
  Issue: { doc: "The issue after the change, with its work orders.", columns: issue_columns },
  WorkOrder: { doc: "The work order after the change.", columns: work_order_columns },
  DeletedIssue: { doc: "The deleted issue.", columns: deleted_issue_columns },
  DeletedWorkOrder: { doc: "The deleted work order.", columns: deleted_order_columns },
  MonthlyReport: { doc: "The month, and where its report is.", columns: report_columns },
  WebhookTest: { doc: "The subscription.", columns: test_columns },
} as const satisfies Readonly<
  Record<string, { readonly doc: string; readonly columns: readonly Column[] }>
>;

type WebhookDataName = keyof typeof webhook_data;

/** The name of the data that events of a type have. */
export function webhookDataName(type: WebhookType): WebhookDataName {
  if (type === "issue.deleted") return "DeletedIssue";
  if (type === "workorder.deleted") return "DeletedWorkOrder";
  if (type === "report.ready") return "MonthlyReport";
  if (type === "webhook.test") return "WebhookTest";
  if (type.startsWith("alarm.")) return "AlarmOfWebhook";
  return type.startsWith("issue.") ? "Issue" : "WorkOrder";
}
