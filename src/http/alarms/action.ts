// Operators' actions under /platform/v1/alarms: on one occurrence, or on each of a selection.
import { z } from "zod";
import { Fault } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { actOnAlarm, actOnAlarms } from "../../engine/alarms/action.ts";
import { alarm_statuses } from "../../model/alarms/alarm.ts";
import {
  action_forms,
  action_words,
  type ActionWord,
  bulk_form,
  parseAction,
  parseBulk,
} from "../../model/alarms/action.ts";
import { occurrence_columns } from "../../model/alarms/shape.ts";
import { rowSchema } from "../../model/data/column_schema.ts";
import type { Param } from "../../model/data/param.ts";
import type { Project } from "../../model/plant/plant.ts";
import { readData, readOptionalData } from "../frame/json_body.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

/** The seven actions, and each of them on a selection. */
export function alarmActionRoutes(services: Services): readonly Route[] {
  return [...action_words.map((action) => actionRoute(services, action)), bulkRoute(services)];
}

function actionRoute(services: Services, action: ActionWord): Route {
  const { summary, doc } = texts[action];
  return route({
    ...common,
    name: `alarm_${action}`,
    path: `/platform/v1/alarms/{occurrence_id}/${action}`,
    summary,
    doc: `${doc} 409 with the reason if its state does not allow it. If the same user ` +
      "repeats the action, nothing changes and the answer is the same.",
    params: [occurrence_param, project_param],
    body: bodyOf(action_forms[action], "Who acts, and the text for the action."),
    answer: { kind: "json", schema: rowSchema(occurrence_columns) },
    handle: (context) => postAction(services, action, context),
  });
}

function bulkRoute(services: Services): Route {
  return route({
    ...common,
    name: "alarm_actions",
    path: "/platform/v1/alarms/actions",
    summary: "Act on several alarms",
    doc: "One action on several occurrences of a project, in one transaction. If the state of " +
      "one does not allow the action, the others are still changed. Results are in the order of " +
      "the selection.",
    params: [project_param],
    body: bodyOf(bulk_form, "The action with its text, and the occurrences."),
    answer: { kind: "json", schema: z.toJSONSchema(results_schema) },
    handle: async ({ request, values, grant }) => {
      const project = projectOf(services, values.project_id);
      const order = parseBulk(await readData(request));
      const results = await actOnAlarms(services, order, { project, grant: grant! });
      return Response.json({ results });
    },
  });
}

const common = {
  method: "POST",
  scope: "operate",
  project: "project_id",
} as const;

const texts: Readonly<Record<ActionWord, { readonly summary: string; readonly doc: string }>> = {
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

const project_param = {
  name: "project_id",
  in: "query",
  kind: "text",
  required: true,
  doc: "Project of the alarms.",
} as const satisfies Param;

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

async function postAction(
  services: Services,
  action: ActionWord,
  context: RouteContext<readonly [typeof occurrence_param, typeof project_param]>,
): Promise<Response> {
  const { request, values: { occurrence_id, project_id }, grant } = context;
  const project = projectOf(services, project_id);
  const sent = parseAction(action, await readOptionalData(request));
  await actOnAlarm(services, { ...sent, occurrence_id }, { project, grant: grant! });
  const newest = limits.alarm_events_shown;
  return Response.json(await services.alarm_reads.one(project, occurrence_id, { newest }));
}

function projectOf({ catalog }: Services, project_id: string): Project {
  const project = catalog.project(project_id);
  if (project === undefined) throw new Fault("forbidden", "the project is gone");
  return project;
}

function bodyOf(form: z.ZodType, doc: string) {
  return {
    media_types: ["application/json"],
    limit_bytes: limits.alarm_action_body_bytes,
    doc,
    schema: z.toJSONSchema(form),
  };
}
