// Reading alarms: one with its timeline, a project's, and the feed of their events.
import { Fault, type Flaw } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { startAt } from "../../engine/alarms/feed.ts";
import { alarm_statuses, refOf } from "../../model/alarms/alarm.ts";
import { event_columns, occurrence_columns } from "../../model/alarms/shape.ts";
import { rowSchema } from "../../model/data/column_schema.ts";
import type { Param } from "../../model/data/param.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { afterOf, alarm_params, nextLink, sourceOf } from "./param.ts";
import { printArray, streamJson } from "../frame/answer.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

/** The routes that read alarms, but for the stream. */
export function alarmRoutes(services: Services): readonly Route[] {
  const common = { method: "GET", scope: "read", project: "project_id" } as const;
  return [
    route({
      ...common,
      name: "alarms",
      path: "/platform/v1/alarms",
      summary: "Alarm occurrences",
      doc: "Alarms of a project, each with its newest 50 events, in the order in which they were " +
        "last stored: by synced_at, then svc_occurrence_ref. A full page has a Link to the next " +
        "page. To follow changes, continue from the last row: an occurrence that changed is " +
        "listed again. /docs/alarms explains the fields.",
      params: list_params,
      answer: { kind: "json", streamed: true, schema: arrayOf(rowSchema(occurrence_columns)) },
      handle: (context) => listAlarms(services, context),
    }),
    route({
      ...common,
      name: "alarm",
      path: "/platform/v1/alarms/{occurrence_id}",
      summary: "An alarm occurrence with its timeline",
      doc: "One alarm with all of its events, the oldest first. 404 if the project has no " +
        "occurrence with this ID.",
      params: one_params,
      answer: { kind: "json", schema: rowSchema(occurrence_columns) },
      handle: (context) => getAlarm(services, context),
    }),
    route({
      ...common,
      name: "alarm_events",
      path: "/platform/v1/alarms/events",
      summary: "Feed of alarm events",
      doc: "The events of a project's alarms in the order in which they were stored: by " +
        "synced_at, then svc_occurrence_ref, then event_id. To resume, set updated_since, after " +
        "and after_event_id to the last row's synced_at, svc_occurrence_ref and event_id, or " +
        "follow the Link of a full page. A page with fewer than limit rows is the last one. " +
        "/platform/v1/alarms/stream sends new events as they are stored.",
      params: feed_params,
      answer: { kind: "json", streamed: true, schema: arrayOf(rowSchema(event_columns)) },
      handle: (context) => readFeed(services, context),
    }),
  ];
}

const one_params = [
  {
    name: "occurrence_id",
    in: "path",
    kind: "text",
    required: true,
    doc: "Occurrence to return.",
  },
  { ...alarm_params.project_id, doc: "Project that the occurrence belongs to." },
] as const satisfies readonly Param[];

const list_params = [
  alarm_params.project_id,
  alarm_params.site,
  {
    name: "status",
    in: "query",
    kind: "text",
    required: false,
    repeated: true,
    values: alarm_statuses,
    doc: "Only alarms with these statuses.",
  },
  manyOf("severity", "Only alarms of these severities, such as critical."),
  manyOf("kind", "Only alarms of these kinds, such as threshold."),
  manyOf("alarm_class", "Only alarms of these classes, such as comms."),
  manyOf("device_id", "Only alarms of these devices."),
  {
    name: "active",
    in: "query",
    kind: "flag",
    required: false,
    doc: "true: only alarms whose condition is present. false: only cleared alarms.",
  },
  {
    name: "updated_since",
    in: "query",
    kind: "instant",
    required: false,
    doc: "Only alarms stored at or after this time, by synced_at.",
  },
  {
    name: "after",
    in: "query",
    kind: "text",
    required: false,
    doc: "svc_occurrence_ref of the last row received. Requires updated_since, its synced_at.",
  },
  {
    name: "limit",
    in: "query",
    kind: "integer",
    required: false,
    minimum: 1,
    maximum: limits.alarm_page_rows,
    default: limits.alarm_page_rows_default,
    doc: "Largest number of alarms on the page.",
  },
  alarm_params.offset,
] as const satisfies readonly Param[];

const feed_params = [
  alarm_params.project_id,
  alarm_params.site,
  {
    name: "updated_since",
    in: "query",
    kind: "instant",
    required: false,
    doc: "Replay watermark: events stored at or after this time, by synced_at.",
  },
  {
    name: "after",
    in: "query",
    kind: "text",
    required: false,
    doc: "svc_occurrence_ref of the last event received. Requires updated_since and " +
      "after_event_id.",
  },
  {
    name: "after_event_id",
    in: "query",
    kind: "text",
    required: false,
    doc: "event_id of the last event received. Requires updated_since and after.",
  },
  {
    name: "limit",
    in: "query",
    kind: "integer",
    required: false,
    minimum: 1,
    maximum: limits.page_rows,
    default: limits.page_rows_default,
    doc: "Largest number of events on the page.",
  },
  alarm_params.offset,
] as const satisfies readonly Param[];

function manyOf<const N extends string>(name: N, doc: string) {
  return { name, in: "query", kind: "text", required: false, repeated: true, doc } as const;
}

function arrayOf(items: object): object {
  return { type: "array", items };
}

async function getAlarm(
  services: Services,
  { values }: RouteContext<typeof one_params>,
): Promise<Response> {
  const { project } = sourceOf(services, { ...values, site: undefined });
  const found = await services.alarm_reads.one(project, values.occurrence_id);
  if (found) return Response.json(found);
  throw new Fault("not_found", "the project has no occurrence with this ID");
}

async function listAlarms(
  services: Services,
  context: RouteContext<typeof list_params>,
): Promise<Response> {
  const { values } = context;
  const { project: { project_no }, site_no } = sourceOf(services, values);
  const { updated_since, after, active, limit, offset } = values;
  const isLone = after !== undefined && updated_since === undefined;
  const after_no = afterOf(after, isLone ? [needs("updated_since", "after", "synced_at")] : []);
  const { batches, next } = await services.alarm_reads.page({
    ...given({
      project_no,
      site_no: site_no ?? undefined,
      statuses: some(values.status),
      severities: some(values.severity),
      kinds: some(values.kind),
      alarm_classes: some(values.alarm_class),
      device_ids: some(values.device_id),
      active,
      since_us: updated_since,
      after_no,
    }),
    limit,
    offset,
  });
  const link = next && nextLink(context.request, {
    updated_since: instantText(next.synced_at),
    after: refOf(next.occurrence_no),
  });
  return await streamJson(context, printArray(batches, printRows), link);
}

async function readFeed(
  services: Services,
  context: RouteContext<typeof feed_params>,
): Promise<Response> {
  const { values } = context;
  const source = sourceOf(services, values);
  const { updated_since = 0, after_event_id, limit, offset } = values;
  const after_no = afterOf(values.after, [...missing(values)]);
  const after = after_no === undefined || after_event_id === undefined
    ? startAt(updated_since)
    : { synced_at: updated_since, occurrence_no: after_no, event_id: after_event_id };
  const { pieces, next } = await services.alarm_feed.page(source, { after, limit, offset });
  const link = next && nextLink(context.request, {
    updated_since: instantText(next.synced_at),
    after: refOf(next.occurrence_no),
    after_event_id: next.event_id,
  });
  return await streamJson(context, printArray(pieces, ({ text }) => text), link);
}

/** The three words of a watermark that are not there beside those that are. */
function* missing(
  { updated_since, after, after_event_id }: {
    readonly updated_since: number | undefined;
    readonly after: string | undefined;
    readonly after_event_id: string | undefined;
  },
): Generator<Flaw> {
  const given_one = after === undefined ? "after_event_id" : "after";
  if (after === undefined && after_event_id === undefined) return;
  if (updated_since === undefined) yield needs("updated_since", given_one, "synced_at");
  if (after === undefined) yield needs("after", given_one, "svc_occurrence_ref");
  if (after_event_id === undefined) yield needs("after_event_id", given_one, "event_id");
}

function needs(path: string, given: string, column: string): Flaw {
  return { path, message: `is required with ${given}: give the last row's ${column}` };
}

function printRows(rows: readonly object[]): string {
  return rows.map((row) => JSON.stringify(row)).join(",\n");
}

/** A list that filters; an empty one does not. */
function some<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined;
}

/** What is there of an object's fields. */
function given<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<T>;
}
