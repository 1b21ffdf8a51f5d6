// What an alarm and an event of its life look like in answers: their fields, once.
import {
  alarm_event_kinds,
  alarm_event_types,
  alarm_statuses,
  resolution_policies,
} from "./alarm.ts";
import type { Column, RowOf } from "../data/column.ts";
import { rowSchema } from "../data/column_schema.ts";

const one_of = (words: readonly string[]) => `One of ${words.join(", ")}`;

/** The fields of an event; the feed and every timeline have them alike. */
export const event_columns = [
  {
    name: "event_id",
    kind: "text",
    nullable: false,
    doc: "Event ID. With occurrence_id it is the deduplication key.",
  },
  {
    name: "occurrence_id",
    kind: "text",
    nullable: false,
    doc: "Occurrence that the event belongs to.",
  },
  {
    name: "svc_occurrence_ref",
    kind: "text",
    nullable: false,
    doc: "The service's reference of the occurrence.",
  },
  {
    name: "type",
    kind: "text",
    nullable: false,
    doc: `${one_of(alarm_event_types)}; or a source system's own value.`,
  },
  {
    name: "kind",
    kind: "text",
    nullable: false,
    doc: `${one_of(alarm_event_kinds)}; or a source system's own value.`,
  },
  { name: "created_at", kind: "instant", nullable: false, doc: "When the event happened." },
  {
    name: "synced_at",
    kind: "instant",
    nullable: false,
    doc: "When the service stored the event. The feed is sorted by it.",
  },
  { name: "body", kind: "text", nullable: true, doc: "Text of the event: a note, a reason." },
  {
    name: "user_id",
    kind: "text",
    nullable: true,
    doc: "User who caused the event. Null if nobody did, or a token without a user.",
  },
  {
    name: "user_email",
    kind: "text",
    nullable: true,
    doc: "E-mail address of that user, or of the source system's; personal data.",
  },
  {
    name: "external_user_id",
    kind: "text",
    nullable: true,
    doc: "User ID in the source system.",
  },
  {
    name: "detail",
    kind: "text",
    nullable: true,
    json: {},
    doc: "More about the event, in free form: what changed, why, until when.",
  },
] as const satisfies readonly Column[];

/** An event as JSON has it. */
export type EventRow = RowOf<typeof event_columns>;

/** The fields of an occurrence but its timeline. */
const state_columns = [
  {
    name: "occurrence_id",
    kind: "text",
    nullable: false,
    doc: "Stable ID that the source system gave. With event_id it is the key of events.",
  },
  {
    name: "svc_occurrence_ref",
    kind: "text",
    nullable: false,
    doc: "The service's reference of the occurrence: send it as after to resume a replay.",
  },
  {
    name: "source",
    kind: "text",
    nullable: false,
    doc: "Source system and site that sent the alarm; wattkeeper:SITE if a rule of the service " +
      "raised it.",
  },
  {
    name: "organization_id",
    kind: "text",
    nullable: false,
    doc: "Organization that owns the project.",
  },
  { name: "project_id", kind: "text", nullable: false, doc: "Project of the alarm." },
  { name: "site", kind: "text", nullable: false, doc: "Key of the site that the alarm came from." },
  {
    name: "rule_name",
    kind: "text",
    nullable: false,
    doc: "Name of the rule that raised the alarm.",
  },
  {
    name: "rule_version",
    kind: "float64",
    nullable: true,
    doc: "Version of the rule that raised the alarm.",
  },
  {
    name: "kind",
    kind: "text",
    nullable: false,
    doc: "Type of the rule that raised the alarm, such as threshold or stale. An open set.",
  },
  {
    name: "severity",
    kind: "text",
    nullable: false,
    doc: "Severity of the rule: critical, high, medium, low, info. An open set.",
  },
  {
    name: "status",
    kind: "text",
    nullable: false,
    values: alarm_statuses,
    doc: "Place in the operators' queue. It does not depend on the condition; see cleared_at.",
  },
  {
    name: "resolution_policy",
    kind: "text",
    nullable: false,
    values: resolution_policies,
    doc: "When the occurrence ends: auto, when it is cleared; manual, when it is resolved; " +
      "require_both, when it is both.",
  },
  {
    name: "resolution",
    kind: "text",
    nullable: true,
    doc: "The operator's note. Null until the occurrence is resolved.",
  },
  { name: "raised_at", kind: "instant", nullable: false, doc: "When the alarm was raised." },
  {
    name: "source_ts",
    kind: "instant",
    nullable: true,
    doc: "Time of the sample that raised the alarm.",
  },
  {
    name: "updated_at",
    kind: "instant",
    nullable: false,
    doc: "When the occurrence last changed in its source. Of several snapshots the latest one " +
      "counts.",
  },
  {
    name: "synced_at",
    kind: "instant",
    nullable: false,
    doc: "When the service last stored the occurrence. updated_since compares against it.",
  },
  {
    name: "cleared_at",
    kind: "instant",
    nullable: true,
    doc: "When the condition was gone. Null while it is present.",
  },
  {
    name: "raised_value",
    kind: "float64",
    nullable: false,
    doc: "Value that raised the alarm; for a stale alarm the age in seconds.",
  },
  {
    name: "last_value",
    kind: "float64",
    nullable: true,
    doc: "Most recent value of the tag.",
  },
  {
    name: "peak_value",
    kind: "float64",
    nullable: true,
    doc: "Value furthest beyond the rule's limit while the condition was present.",
  },
  { name: "peak_at", kind: "instant", nullable: true, doc: "Time of peak_value." },
  {
    name: "recovered_value",
    kind: "float64",
    nullable: true,
    doc: "Value when the condition was gone. Null until then.",
  },
  {
    name: "source_tag",
    kind: "text",
    nullable: false,
    doc: "Tag of the alarm. While device_id is null, group alarms by tag and site.",
  },
  { name: "measure", kind: "text", nullable: true, doc: "Measure that the tag reports." },
  { name: "rule_description", kind: "text", nullable: true, doc: "Description of the rule." },
  {
    name: "decoded_labels",
    kind: "text",
    nullable: false,
    json: { type: "array", items: { type: "string" } },
    doc: "Labels of the alarm: of each set bit of a bitmask rule, of the code of an enum rule, " +
      "or of an alarm point (from its device model's list, otherwise its identifier).",
  },
  {
    name: "point_key",
    kind: "text",
    nullable: true,
    doc: "Identifier of an alarm point, such as Error-17. It stays when the label changes. Null " +
      "for other alarms.",
  },
  {
    name: "alarm_class",
    kind: "text",
    nullable: true,
    doc: "Class of the alarm, such as fire, comms or trip. An open set. Null if it has none.",
  },
  {
    name: "is_nerc",
    kind: "bool",
    nullable: false,
    doc: "Whether the alarm is relevant to NERC compliance, by its alarm point or its rule.",
  },
  {
    name: "device_id",
    kind: "text",
    nullable: true,
    doc: "Device that the tag is mapped to. Null until the tag is mapped.",
  },
  {
    name: "device_name",
    kind: "text",
    nullable: true,
    doc: "Name of the device. Null until mapped.",
  },
  {
    name: "device_type",
    kind: "text",
    nullable: true,
    doc: "Type of the device. Null until mapped.",
  },
  {
    name: "parent_device_id",
    kind: "text",
    nullable: true,
    doc: "The device's parent. Null until mapped, or if it has none.",
  },
  {
    name: "params",
    kind: "text",
    nullable: false,
    optional: true,
    json: {},
    doc: "The rule's limits when it raised the alarm; the keys depend on kind (see " +
      "/docs/alarms). Left out if there are none.",
  },
] as const satisfies readonly Column[];

/** The fields of an occurrence. */
export const occurrence_columns = [
  ...state_columns,
  {
    name: "events",
    kind: "text",
    nullable: false,
    json: { type: "array", items: rowSchema(event_columns) },
    doc: "Events of the alarm's life, oldest first; in lists only the newest 50.",
  },
  {
    name: "events_total",
    kind: "int32",
    nullable: false,
    doc: "Number of events of the whole timeline.",
  },
  {
    name: "events_truncated",
    kind: "bool",
    nullable: false,
    doc: "Whether events has only the newest ones.",
  },
] as const satisfies readonly Column[];

/** An occurrence as JSON has it. */
export type OccurrenceRow = RowOf<typeof occurrence_columns> & {
  readonly events: readonly EventRow[];
  readonly decoded_labels: readonly string[];
};
