// Alarms under /platform/v1/alarms: read, and acted on by operators.
import * as z from "zod";
import { Fault } from "../../base/fault.ts";
import { alarm_limits } from "../../model/alarms/limits.ts";
import { actOnAlarm, actOnAlarms } from "../../engine/alarms/action.ts";
import {
  action_forms,
  action_words,
  type ActionWord,
  bulk_form,
  parseAction,
  parseBulk,
} from "../../model/alarms/action.ts";
import { alarm_severities, alarm_statuses, refOf } from "../../model/alarms/alarm.ts";
import { judged_columns, occurrence_columns } from "../../model/alarms/shape.ts";
import { rowSchema } from "../../model/data/column_schema.ts";
import type { Param } from "../../model/data/param.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { afterOf, needs, nextLink, site_param, skip_doc, sourceOf } from "./param.ts";
import { printArray, streamJson } from "../frame/answer.ts";
import { projectOf } from "../frame/auth.ts";
import { readData, readOptionalData } from "../frame/json_body.ts";
import { include_param, pageParams, project_param } from "../frame/param.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import { asksTable, streamTable } from "../frame/row_table.ts";
import type { Services } from "../frame/services.ts";

/** The routes that read occurrences. */
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
        "listed again. With sort=priority the most urgent come first, of one severity the " +
        "newest; after alone then names the last row. /docs/alarms explains the fields.",
      params: list_params,
      answer: { kind: "rows", row: "AlarmOccurrence", columns: all_columns },
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
      answer: { kind: "json", schema: rowSchema(all_columns) },
      handle: (context) => getAlarm(services, context),
    }),
  ];
}

/** Also the fields that are there only if they are asked for: one shape in the description. */
const all_columns = [...occurrence_columns, ...judged_columns];

/** The seven actions, and each of them on a selection. */
export function alarmActionRoutes(services: Services): readonly Route[] {
  return [...action_words.map((action) => actionRoute(services, action)), bulkRoute(services)];
}

function actionRoute(services: Services, action: ActionWord): Route {
  const { summary, doc } = action_texts[action];
  return route({
    ...acting,
    name: `alarm_${action}`,
    path: `/platform/v1/alarms/{occurrence_id}/${action}`,
    summary,
    doc: `${doc} 409 with the reason if its state does not allow it. If the same user ` +
      "repeats the action, nothing changes and the answer is the same.",
    params: [occurrence_param, own_project],
    body: {
      ...bodyOf(action_forms[action], "Who acts, and the text for the action."),
      optional: true,
    },
    answer: { kind: "json", schema: rowSchema(all_columns) },
    handle: (context) => postAction(services, action, context),
  });
}

function bulkRoute(services: Services): Route {
  return route({
    ...acting,
    name: "alarm_actions",
    path: "/platform/v1/alarms/actions",
    summary: "Act on several alarms",
    doc: "One action on several occurrences of a project, in one transaction. If the state of " +
      "one does not allow the action, the others are still changed. Results are in the order of " +
      "the selection.",
    params: [own_project],
    body: bodyOf(bulk_form, "The action with its text, and the occurrences."),
    answer: { kind: "json", schema: () => z.toJSONSchema(results_schema) },
    handle: async ({ request, values, grant }) => {
      const project = projectOf(services, values.project_id);
      const order = parseBulk(await readData(request));
      const results = await actOnAlarms(services, order, { project, grant: grant! });
      return Response.json({ results });
    },
  });
}

const acting = {
  method: "POST",
  scope: "operate",
  project: "project_id",
} as const;

const action_texts: Readonly<
  Record<ActionWord, { readonly summary: string; readonly doc: string }>
> = {
  claim: { summary: "Claim an alarm", doc: "The user takes over an open occurrence." },
  release: { summary: "Release an alarm", doc: "Gives a claimed occurrence back to the queue." },
  shelve: {
    summary: "Shelve an alarm",
    doc: "Takes an open or claimed occurrence out of the queue, until its end time at the latest.",
  },
  unshelve: {
    summary: "Unshelve an alarm",
    doc: "Puts a shelved occurrence back into the queue, with the status that it had before.",
  },
  resolve: {
    summary: "Resolve an alarm",
    doc: "Resolves an occurrence; the note is its resolution.",
  },
  reopen: {
    summary: "Reopen an alarm",
    doc: "Puts a resolved occurrence that has not ended back into the queue.",
  },
  comment: {
    summary: "Comment on an alarm",
    doc: "Adds a comment to an occurrence of any status.",
  },
};

const own_project = { ...project_param, doc: "Project of the alarms." } as const;

const occurrence_param = {
  name: "occurrence_id",
  in: "path",
  kind: "text",
  required: true,
  doc: "The occurrence.",
} as const satisfies Param;

const results_schema = z.strictObject({
  results: z.array(z.strictObject({
    occurrence_id: z.string(),
    ok: z.boolean().describe("Whether the occurrence now has the state that the action asks for."),
    status: z.enum(alarm_statuses).nullable()
      .describe("Its status now; null where the project has no such occurrence."),
    reason: z.string().nullable().describe("Why not."),
  })),
});

const include_judged = {
  ...include_param,
  values: ["judged"],
  doc: "judged: also where each alarm is judged: here, at a gateway, or at the centre.",
} as const satisfies Param;

const one_params = [
  {
    name: "occurrence_id",
    in: "path",
    kind: "text",
    required: true,
    doc: "Occurrence to return.",
  },
  { ...project_param, doc: "Project that the occurrence belongs to." },
  include_judged,
] as const satisfies readonly Param[];

const alarm_page = pageParams("Alarms", {
  most: alarm_limits.page_rows,
  usual: alarm_limits.page_rows_default,
  skip: skip_doc,
});

const list_params = [
  project_param,
  site_param,
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
  { ...manyOf("device_id", "Only alarms of these devices, by id or key."), names: "device" },
  {
    name: "active",
    in: "query",
    kind: "flag",
    required: false,
    doc: "true: only alarms whose condition is present. false: only cleared alarms.",
  },
  {
    name: "from",
    in: "query",
    kind: "instant",
    required: false,
    doc: "Only alarms that were active after this time; with to, those active between the two.",
  },
  {
    name: "to",
    in: "query",
    kind: "instant",
    required: false,
    doc: "Only alarms that were raised before this time.",
  },
  {
    name: "ended",
    in: "query",
    kind: "flag",
    required: false,
    doc: "false: only alarms that have not ended by their resolution_policy. true: only ended " +
      "ones.",
  },
  {
    name: "sort",
    in: "query",
    kind: "text",
    required: false,
    values: ["priority"],
    doc: `priority: by severity (${alarm_severities.join(", ")}, others), then by raised_at, the ` +
      "newest first.",
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
    doc: "svc_occurrence_ref of the last row received. Requires updated_since, its synced_at, " +
      "unless rows are sorted by priority.",
  },
  include_judged,
  ...alarm_page,
] as const satisfies readonly Param[];

function manyOf<const N extends string>(name: N, doc: string) {
  return { name, in: "query", kind: "text", required: false, repeated: true, doc } as const;
}

async function getAlarm(
  services: Services,
  { values }: RouteContext<typeof one_params>,
): Promise<Response> {
  const { project } = sourceOf(services, { ...values, site: undefined });
  const judged = values.include.includes("judged");
  const found = await services.alarm_reads.print(project, values.occurrence_id, { judged });
  if (found) return new Response(found, { headers: { "content-type": "application/json" } });
  throw new Fault("not_found", "the project has no occurrence with this ID");
}

async function listAlarms(
  services: Services,
  context: RouteContext<typeof list_params>,
): Promise<Response> {
  const { values } = context;
  const { project: { project_no }, site_no } = sourceOf(services, values);
  const { updated_since, after, active, ended, from, to, limit, offset } = values;
  const by_priority = values.sort === "priority";
  const judged = values.include.includes("judged");
  const isLone = after !== undefined && updated_since === undefined && !by_priority;
  const after_no = afterOf(
    after,
    isLone ? [needs("updated_since", { given: "after", column: "synced_at" })] : [],
  );
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
      from_us: from,
      to_us: to,
      ended,
      since_us: updated_since,
      after_no,
    }),
    limit,
    offset,
  }, { by_priority, judged, signal: context.signal });
  const link = next && nextLink(context.request, {
    ...(by_priority ? {} : { updated_since: instantText(next.synced_at) }),
    after: refOf(next.occurrence_no),
  });
  if (asksTable(context)) {
    const columns = judged ? all_columns : occurrence_columns;
    return await streamTable(context, { columns, batches }, link);
  }
  return await streamJson(context, printArray(batches, printRows), link);
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

async function postAction(
  services: Services,
  action: ActionWord,
  context: RouteContext<readonly [typeof occurrence_param, typeof own_project]>,
): Promise<Response> {
  const { request, values: { occurrence_id, project_id }, grant } = context;
  const project = projectOf(services, project_id);
  const sent = parseAction(action, await readOptionalData(request));
  await actOnAlarm(services, { ...sent, occurrence_id }, { project, grant: grant! });
  const newest = alarm_limits.events_shown;
  return Response.json(await services.alarm_reads.one(project, occurrence_id, { newest }));
}

function bodyOf(form: z.ZodType, doc: string) {
  return {
    media_types: ["application/json"],
    limit_bytes: alarm_limits.action_body_bytes,
    doc,
    schema: () => z.toJSONSchema(form),
  };
}
