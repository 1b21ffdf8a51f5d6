// Reading issues: a project's, one, and the history of one.
import { noIssue } from "../../engine/work/action.ts";
import { showHistory } from "../../engine/work/view.ts";
import { rowSchema } from "../../model/data/column_schema.ts";
import { issue_statuses, work_priorities } from "../../model/work/issue.ts";
import { history_columns, issue_columns } from "../../model/work/issue_shape.ts";
import type { Param } from "../../model/data/param.ts";
import { listIssues, readIssue } from "../../store/work/issue.ts";
import { readHistory } from "../../store/work/record.ts";
import { streamJson } from "../frame/answer.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { answerWork, printSnapshots, projectOf, work_params } from "./request.ts";

/** The routes that read issues. */
export function issueRoutes(services: Services): readonly Route[] {
  return [
    route({
      ...common,
      name: "issues",
      path: "/platform/v1/issues",
      summary: "Issues",
      doc: "Issues of a project with their devices and work orders, each as it was after its " +
        "last change, ordered by updated_at. Deleted issues are left out. /docs/work explains " +
        "the fields.",
      params: list_params,
      answer: {
        kind: "json",
        streamed: true,
        schema: { type: "array", items: rowSchema(issue_columns) },
      },
      handle: (context) => list(services, context),
    }),
    route({
      ...common,
      name: "issue",
      path: "/platform/v1/issues/{id}",
      summary: "An issue",
      doc: "An issue as it was after its last change. Use its ETag as If-Match of a change.",
      params: one_params,
      answer: { kind: "json", schema: rowSchema(issue_columns) },
      handle: (context) => getOne(services, context),
    }),
    route({
      ...common,
      name: "issue_history",
      path: "/platform/v1/issues/{id}/history",
      summary: "History of an issue",
      doc: "What happened to an issue, the oldest first; also for a deleted issue. A merge is " +
        "recorded on the issue that remains.",
      params: one_params,
      answer: { kind: "json", schema: { type: "array", items: rowSchema(history_columns) } },
      handle: (context) => getHistory(services, context),
    }),
  ];
}

const common = {
  method: "GET",
  scope: "read",
  project: "project_id",
  noun: "issues",
} as const;

const one_params = [work_params.issue, work_params.project_id] as const satisfies readonly Param[];

const list_params = [
  work_params.project_id,
  {
    name: "status",
    in: "query",
    kind: "text",
    required: false,
    values: issue_statuses,
    doc: "Only issues of this status.",
  },
  {
    name: "priority",
    in: "query",
    kind: "text",
    required: false,
    values: work_priorities,
    doc: "Only issues of this priority.",
  },
  work_params.updated_since,
  work_params.limit,
  work_params.offset,
] as const satisfies readonly Param[];

async function list(
  services: Services,
  context: RouteContext<typeof list_params>,
): Promise<Response> {
  const { project_id, updated_since: since_us, ...filter } = context.values;
  const { project_no } = projectOf(services, project_id);
  const chunks = await services.database.read(
    (it) => listIssues(it, { ...filter, project_no, since_us }),
    context.signal,
  );
  return await streamJson(context, printSnapshots(chunks));
}

async function getOne(
  services: Services,
  { values: { project_id, id } }: RouteContext<typeof one_params>,
): Promise<Response> {
  const { project_no } = projectOf(services, project_id);
  const found = await services.database.read((it) => readIssue(it, { project_no, id }));
  if (found === undefined) throw noIssue();
  return answerWork({ body: found.snapshot, version: found.version });
}

async function getHistory(
  services: Services,
  { values: { project_id, id } }: RouteContext<typeof one_params>,
): Promise<Response> {
  const { project_no } = projectOf(services, project_id);
  const events = await services.database.read((it) => readHistory(it, { project_no, id }));
  if (events.length === 0) throw noIssue();
  return Response.json(events.map((event) => showHistory(event, id)));
}
