// What an alarm and an event of its life look like in answers: their fields, once.
import {
  alarm_event_kinds,
  alarm_event_table,
  alarm_event_types,
  occurrence_table,
} from "./alarm.ts";
import { type Column, fieldOf, type RowOf } from "../data/column.ts";
import { rowSchema } from "../data/column_schema.ts";

const one_of = (words: readonly string[]) => `One of ${words.join(", ")}`;

const eventField = fieldOf(alarm_event_table);
const field = fieldOf(occurrence_table);

/** The fields of an event; the feed and every timeline have them alike. */
export const event_columns = [
  eventField("event_id", "Event ID. With occurrence_id it is the deduplication key."),
  eventField("occurrence_id", "Occurrence that the event belongs to."),
  {
    name: "svc_occurrence_ref",
    kind: "text",
    nullable: false,
    doc: "The service's reference of the occurrence.",
  },
  eventField("type", `${one_of(alarm_event_types)}; or a source system's own value.`),
  eventField("kind", `${one_of(alarm_event_kinds)}; or a source system's own value.`),
  eventField("created_at", "When the event happened."),
  eventField("synced_at", "When the service stored the event. The feed is sorted by it."),
  eventField("body", "Text of the event: a note, a reason."),
  eventField(
    "user_id",
    "User who caused the event. Null if nobody did, or a token without a user.",
  ),
  eventField(
    "user_email",
    "E-mail address of that user, or of the source system's; personal data.",
  ),
  eventField("external_user_id", "User ID in the source system."),
  {
    name: "detail",
    kind: "text",
    nullable: true,
    json: {},
    doc: "More about the event, in free form: what changed, why, until when.",
  },
] as const satisfies readonly Column[];

/** An event as JSON has it. */
export type AlarmEventRow = RowOf<typeof event_columns>;

/** The fields of an occurrence but its timeline. */
export const state_columns = [
  field(
    "occurrence_id",
    "Stable ID that the source system gave. With event_id it is the key of events.",
  ),
  {
    name: "svc_occurrence_ref",
    kind: "text",
    nullable: false,
    doc: "The service's reference of the occurrence: send it as after to resume a replay.",
  },
  field(
    "source",
    "Source system and site that sent the alarm; wattkeeper:SITE if a rule of the service " +
      "raised it.",
  ),
  {
    name: "organization_id",
    kind: "text",
    nullable: false,
    doc: "Organization that owns the project.",
  },
  { name: "project_id", kind: "text", nullable: false, doc: "Project of the alarm." },
  { name: "site", kind: "text", nullable: false, doc: "Key of the site that the alarm came from." },
  field("rule_name", "Name of the rule that raised the alarm."),
  field("rule_version", "Version of the rule that raised the alarm."),
  field("kind", "Type of the rule that raised the alarm, such as threshold or stale. An open set."),
  field("severity", "Severity of the rule: critical, high, medium, low, info. An open set."),
  field(
    "status",
    "Place in the operators' queue. It does not depend on the condition; see cleared_at.",
  ),
  field(
    "resolution_policy",
    "When the occurrence ends: auto, when it is cleared; manual, when it is resolved; " +
      "require_both, when it is both.",
  ),
  field("resolution", "The operator's note. Null until the occurrence is resolved."),
  field("raised_at", "When the alarm was raised."),
  field("source_ts", "Time of the sample that raised the alarm."),
  field(
    "updated_at",
    "When the occurrence last changed in its source. Of several snapshots the latest one counts.",
  ),
  field(
    "synced_at",
    "When the service last stored the occurrence. updated_since compares against it.",
  ),
  field("cleared_at", "When the condition was gone. Null while it is present."),
  field("raised_value", "Value that raised the alarm; for a stale alarm the age in seconds."),
  field("last_value", "Most recent value of the tag."),
  field("peak_value", "Value furthest beyond the rule's limit while the condition was present."),
  field("peak_at", "Time of peak_value."),
  field("recovered_value", "Value when the condition was gone. Null until then."),
  field(
    "source_tag",
    "Tag of the alarm. While device_id is null, group alarms by tag and site.",
  ),
  field("measure", "Measure that the tag reports."),
  field("rule_description", "Description of the rule."),
  {
    name: "decoded_labels",
    kind: "text",
    nullable: false,
    json: { type: "array", items: { type: "string" } },
    doc: "Labels of the alarm: of each set bit of a bitmask rule, of the code of an enum rule, " +
      "or of an alarm point (from its device model's list, otherwise its identifier).",
  },
  field(
    "point_key",
    "Identifier of an alarm point, such as Error-17. It stays when the label changes. Null for " +
      "other alarms.",
  ),
  field(
    "alarm_class",
    "Class of the alarm, such as fire, comms or trip. An open set. Null if it has none.",
  ),
  field(
    "is_nerc",
    "Whether the alarm is relevant to NERC compliance, by its alarm point or its rule.",
  ),
  field("device_id", "Device that the tag is mapped to. Null until the tag is mapped."),
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
    json: { type: "array", items: rowSchema(event_columns, "AlarmEvent") },
    doc: "Events of the alarm's life, oldest first; in lists only the newest 50.",
  },
  field("events_total", "Number of events of the whole timeline."),
  {
    name: "events_truncated",
    kind: "bool",
    nullable: false,
    doc: "Whether events has only the newest ones.",
  },
] as const satisfies readonly Column[];

/** Where an occurrence is judged: columns of answers that are asked for them. */
export const judged_columns = [
  {
    ...field(
      "judged_at",
      "Where its rule was judged when it was raised: here, by the project's gateway, or at the " +
        "centre. With include=judged.",
    ),
    optional: true,
  },
  {
    ...field(
      "gateway",
      "Name of the gateway that judges it. Null if this service does. With include=judged.",
    ),
    optional: true,
  },
] as const satisfies readonly Column[];

/** An occurrence as JSON has it. */
export type OccurrenceRow = RowOf<typeof occurrence_columns> & RowOf<typeof judged_columns> & {
  readonly events: readonly AlarmEventRow[];
  readonly decoded_labels: readonly string[];
};
