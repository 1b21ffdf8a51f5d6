// Work orders under /platform/v1/work-orders: a project's, one; making, changing, deleting them.
import { noOrder } from "../../engine/work/action.ts";
import {
  changeWorkOrder,
  createWorkOrder,
  deleteWorkOrder,
} from "../../engine/work/work_order_action.ts";
import { rowSchema } from "../../model/data/column_schema.ts";
import type { Param } from "../../model/data/param.ts";
import { actor_form } from "../../model/work/form.ts";
import { order_statuses } from "../../model/work/work_order.ts";
import { work_order_change_form, work_order_form } from "../../model/work/work_order_form.ts";
import { work_order_columns } from "../../model/work/work_order_shape.ts";
import { listWorkOrders, readWorkOrder } from "../../store/work/work_order.ts";
import { streamJson } from "../frame/answer.ts";
import { readData, readOptionalData } from "../frame/json_body.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import {
  answerWork,
  bodyOf,
  changeAsk,
  createAsk,
  match_header,
  once_header,
  printSnapshots,
  projectOf,
  work_params,
} from "./request.ts";

const path = "/platform/v1/work-orders";

/** The routes of work orders. */
export function workOrderRoutes(services: Services): readonly Route[] {
  return [
    listRoute(services),
    getRoute(services),
    postRoute(services),
    patchRoute(services),
    deleteRoute(services),
  ];
}

const common = { project: "project_id", noun: "work_orders" } as const;
const reading = { ...common, method: "GET", scope: "read" } as const;
const managing = { ...common, scope: "manage" } as const;

const one_params = [work_params.order, work_params.project_id] as const satisfies readonly Param[];

const list_params = [
  work_params.project_id,
  {
    name: "status",
    in: "query",
    kind: "text",
    required: false,
    values: order_statuses,
    doc: "Only work orders of this status.",
  },
  {
    name: "issue_id",
    in: "query",
    kind: "text",
    required: false,
    doc: "Only work orders under this issue.",
  },
  {
    name: "device_id",
    in: "query",
    kind: "text",
    required: false,
    doc: "Only work orders that cover this device.",
  },
  work_params.updated_since,
  work_params.limit,
  work_params.offset,
] as const satisfies readonly Param[];

const shown = { kind: "json", schema: rowSchema(work_order_columns) } as const;

function listRoute(services: Services): Route {
  return route({
    ...reading,
    name: "work_orders",
    path,
    summary: "Work orders",
    doc: "Work orders of a project, each as it was after its last change, ordered by updated_at. " +
      "Deleted work orders are left out. /docs/work explains the fields.",
    params: list_params,
    answer: { kind: "json", streamed: true, schema: { type: "array", items: shown.schema } },
    handle: (context) => list(services, context),
  });
}

function getRoute(services: Services): Route {
  return route({
    ...reading,
    name: "work_order",
    path: `${path}/{id}`,
    summary: "A work order",
    doc: "A work order as it was after its last change. Use its ETag as If-Match of a change.",
    params: one_params,
    answer: shown,
    handle: (context) => getOne(services, context),
  });
}

function postRoute(services: Services): Route {
  return route({
    ...managing,
    name: "work_order_post",
    method: "POST",
    path,
    summary: "Make a work order",
    doc: "Makes a work order under an active issue. If an active work order of the issue already " +
      "covers one of the devices, none is made: the answer is 200 with that work order and " +
      "x-svc-existing: true.",
    params: [work_params.project_id],
    headers: [once_header],
    body: bodyOf(work_order_form, "The issue, a title, and the fields of the work order."),
    answer: { ...shown, status: 201 },
    handle: async (context) => {
      const ask = await createAsk(services, context);
      return answerWork(await createWorkOrder(services, await readData(context.request), ask));
    },
  });
}

function patchRoute(services: Services): Route {
  return route({
    ...managing,
    name: "work_order_patch",
    method: "PATCH",
    path: `${path}/{id}`,
    summary: "Change a work order",
    doc: "Changes the fields in the body; null removes a value; devices must list all lines. " +
      "When a work order is completed, its open lines are completed too. 409 with the reason if " +
      "the state does not allow the change.",
    params: one_params,
    headers: [match_header],
    body: bodyOf(work_order_change_form, "The fields to change."),
    answer: shown,
    handle: async (context) => {
      const data = await readData(context.request);
      return answerWork(await changeWorkOrder(services, data, changeAsk(services, context)));
    },
  });
}

function deleteRoute(services: Services): Route {
  return route({
    ...managing,
    name: "work_order_delete",
    method: "DELETE",
    path: `${path}/{id}`,
    summary: "Delete a work order",
    doc: "Deletes a work order. The history of its issue records this.",
    params: one_params,
    headers: [match_header],
    body: bodyOf(actor_form, "Who deletes it; may be left out."),
    answer: { kind: "json", schema: deleted_schema },
    handle: async (context) => {
      const data = await readOptionalData(context.request);
      return answerWork(await deleteWorkOrder(services, data, changeAsk(services, context)));
    },
  });
}

const text = { type: "string" } as const;
const deleted_schema = {
  type: "object",
  required: ["id", "title"],
  properties: { id: text, title: text },
} as const;

async function list(
  services: Services,
  context: RouteContext<typeof list_params>,
): Promise<Response> {
  const { project_id, updated_since: since_us, ...filter } = context.values;
  const { project_no } = projectOf(services, project_id);
  const chunks = await services.database.read(
    (it) => listWorkOrders(it, { ...filter, project_no, since_us }),
    context.signal,
  );
  return await streamJson(context, printSnapshots(chunks));
}

async function getOne(
  services: Services,
  { values: { project_id, id } }: RouteContext<typeof one_params>,
): Promise<Response> {
  const { project_no } = projectOf(services, project_id);
  const found = await services.database.read((it) => readWorkOrder(it, { project_no, id }));
  if (found === undefined) throw noOrder();
  return answerWork({ body: found.snapshot, version: found.version });
}
