// Alarms that a source sends under /ingest/v1/alarms, and the page that explains alarms.
import { alarm_limits } from "../../model/alarms/limits.ts";
import { body_limits } from "../../wire/bytes/limits.ts";
import { listWaiting } from "../../store/alarms/waiting.ts";
import { alarm_media_types, decodeAlarms } from "../../wire/alarms/decode.ts";
import { alarmRowSchema } from "../../wire/alarms/decode_row.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { projectOf } from "../frame/auth.ts";
import { bytesOf } from "../frame/body.ts";
import { pageParams, project_param } from "../frame/param.ts";
import { rejectedSchema } from "../frame/rejected.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { html } from "@hono/hono/html";
import * as z from "zod";
import { suspension_kind } from "../../engine/rules/suspend.ts";
import {
  alarm_event_kinds,
  alarm_event_types,
  resolution_policies,
} from "../../model/alarms/alarm.ts";
import { report_schema } from "../../model/alarms/report_form.ts";
import { kind_documentation, kinds } from "../../model/rules/kinds.ts";
import { documentPage, wordFills } from "../page/document.ts";
import { code, type Html, row, table } from "../page/html.ts";
import { fieldTable, figureRows, type Schema } from "../page/schema_table.ts";
import guide from "./alarms.md" with { type: "text" };

const path = "/ingest/v1/alarms";

/** Sending alarms, and looking at what waits. */
export function alarmIngestRoutes(services: Services): readonly Route[] {
  return [sendRoute(services), waitingRoute(services)];
}

/** Everything that the fields and endpoints of alarms mean. */
export function alarmPage(): Promise<string> {
  const [occurrence, event] = (alarmRowSchema() as Schema).anyOf!;
  const rules = listRules();
  const isCommon = (name: string) =>
    name !== "kind" && rules.every(({ form: { properties = {} } }) => name in properties);
  return documentPage(guide, {
    ...wordFills("event", alarm_event_types),
    ...wordFills("policy", resolution_policies),
    ...wordFills("kind", alarm_event_kinds),
    rule_kinds: rules.map((rule) => ruleSection(rule, isCommon)),
    rule_fields: fieldTable(rules[0].form, isCommon),
    rule_params: table(
      ["kind", "keys"],
      rules.map(({ kind, params }) => row([code(kind), params])),
    ),
    suspension_kind: code(suspension_kind),
    occurrence_fields: fieldTable(occurrence, isSent(occurrence)),
    event_fields: fieldTable(event, isSent(event)),
    figures: table(["figure", ""], figureRows(z.toJSONSchema(report_schema) as Schema)),
  });
}

const own_project = { ...project_param, doc: "Project that the alarms belong to." } as const;

function sendRoute(services: Services): Route {
  return route({
    name: "ingest_alarms",
    method: "POST",
    path,
    summary: "Send alarms",
    doc: "Accepts snapshots of occurrences, and events, in any order, late or repeated. The " +
      "answer is sent when they are committed and on disk. Of several snapshots of an " +
      "occurrence, the one with the latest updated_at counts (of two with the same updated_at, " +
      "the one that arrives later); an event source_updated records what it changes. If an " +
      "operator acted here after its updated_at, the snapshot changes the condition but not the " +
      "place in the queue. Events are stored once for each (occurrence_id, event_id); an event " +
      "that comes before its occurrence waits for it. A row that cannot be accepted is rejected " +
      "with its line and the reason; the other rows are still stored. A body that breaks off or " +
      "cannot be read is refused completely.",
    scope: "ingest",
    project: "project_id",
    params: [own_project],
    body: {
      media_types: alarm_media_types,
      limit_bytes: body_limits.body_bytes,
      doc: row_doc,
      row: alarmRowSchema,
      streamed: true,
    },
    answer: { kind: "json", schema: answer_schema },
    handle: async ({ request, values, meter }) => {
      const decoded = await decodeAlarms(bytesOf(request), {
        media_type: request.headers.get("content-type") ?? "",
        encoding: request.headers.get("content-encoding"),
        now_us: services.effects.now_us(),
        meter,
      });
      const project = projectOf(services, values.project_id);
      return Response.json(await services.alarm_ingest.add(project, decoded));
    },
  });
}

function waitingRoute(services: Services): Route {
  return route({
    name: "ingest_alarms_waiting",
    method: "GET",
    path: `${path}/waiting`,
    summary: "Events that wait for their occurrence",
    doc: "The events that came without their occurrence, the longest waiting first. They are " +
      `added when it arrives. At most ${alarm_limits.waiting_events} of a project can wait, with ` +
      `texts of ${alarm_limits.waiting_length} characters together.`,
    scope: "ingest",
    project: "project_id",
    params: [own_project, ...pageParams("Events")],
    answer: { kind: "json", schema: { type: "array", items: waiting_schema } },
    handle: async ({ values }) => {
      const { project_no } = projectOf(services, values.project_id);
      const { limit, offset } = values;
      const events = await services.database.read((connection) =>
        listWaiting(connection, { project_no, limit, offset })
      );
      return Response.json(events.map((event) => ({
        occurrence_id: event.occurrence_id,
        event_id: event.event_id,
        type: event.type,
        kind: event.kind,
        created_at: instantText(event.created_at),
        received_at: instantText(event.received_at),
      })));
    },
  });
}

const row_doc =
  "Rows as NDJSON, a JSON sequence or one JSON array, plain or compressed with gzip or zstd. A " +
  "row is an occurrence, which may contain events, or an event (it has an event_id). The fields " +
  "are those of the answers of /platform/v1/alarms, so these can be sent unchanged; instants " +
  "have an offset. kind, severity, alarm_class and the type and kind of an event are stored as " +
  "sent, known or not. Without decoded_labels an alarm point gets its name from its device " +
  "model's list, or its point_key. Whole numbers beyond 2^53 in params and detail become decimal " +
  "text. An event_id of the form wk-… is stored as sent-wk-…. The user of an event is stored as " +
  "user_id only if the user belongs to the organization. A body that needs too much memory gets " +
  "413: send it in several parts. A body for which there is no memory at the moment gets 503: " +
  "send it again.";

const answer_schema = {
  type: "object",
  required: ["accepted", "duplicates", "rejected_count", "rejected", "waiting"],
  properties: {
    accepted: { type: "integer", description: "Rows that were new or changed something." },
    duplicates: {
      type: "integer",
      description: "Rows that changed nothing: events that are already stored, older snapshots.",
    },
    ...rejectedSchema("occurrence_id"),
    waiting: {
      type: "integer",
      description: "Accepted events whose occurrence has not arrived yet.",
    },
  },
} as const;

const waiting_schema = {
  type: "object",
  required: ["occurrence_id", "event_id", "type", "kind", "created_at", "received_at"],
  properties: {
    occurrence_id: { type: "string" },
    event_id: { type: "string" },
    type: { type: "string" },
    kind: { type: "string" },
    created_at: { type: "string", format: "date-time" },
    received_at: { type: "string", format: "date-time" },
  },
} as const;

/** Each kind of rule: what it says, and its form. */
function listRules() {
  return kind_documentation.map((it) => (
    { ...it, form: z.toJSONSchema(kinds[it.kind].form, { io: "input" }) as Schema }
  ));
}

type Rule = ReturnType<typeof listRules>[number];

function ruleSection({ kind, holds, form }: Rule, isCommon: (name: string) => boolean): Html {
  return html`
    <h3 id="rule-${kind}">${kind}</h3>
    <p>${holds}</p>
    ${fieldTable(form, (name) => name !== "kind" && !isCommon(name))}
  `;
}

/** Fields that a source sends: all but those that the service sets itself. */
function isSent(form: Schema): (name: string) => boolean {
  return (name) => !form.properties![name].description?.startsWith("The service's own");
}
