// Work orders under /platform/v1/work-orders: a project's, one; making, changing, deleting them;
// and whether the centre has what is here of them.
import * as z from "zod";
import { noOrder } from "../../engine/work/action.ts";
import {
  changeWorkOrder,
  createWorkOrder,
  deleteWorkOrder,
} from "../../engine/work/work_order_action.ts";
import type { Param } from "../../model/data/param.ts";
import { actor_form } from "../../model/work/form.ts";
import { order_statuses } from "../../model/work/work_order.ts";
import { work_order_change_form, work_order_form } from "../../model/work/work_order_form.ts";
import { work_order_columns } from "../../model/work/work_order_shape.ts";
import { readChangeState } from "../../store/work/change.ts";
import { countWorkOrders, listWorkOrders, readWorkOrder } from "../../store/work/work_order.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { projectOf } from "../frame/auth.ts";
import { project_param } from "../frame/param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { answerPage, countRoute, listOf, part_params } from "./list.ts";
import { photoRoutes } from "./photo.ts";
import { changeRoute, getRoute, postRoute, type WorkNoun } from "./request.ts";

const orders: WorkNoun = {
  path: "/platform/v1/work-orders",
  noun: "work_orders",
  kind: "work_order",
  one: "work order",
  row: "WorkOrder",
  columns: work_order_columns,
};

/** The routes of work orders. */
export function workOrderRoutes(services: Services): readonly Route[] {
  return [
    listRoute(services),
    countRoute(services, orders, {
      name: "work_order_counts",
      summary: "How many work orders there are",
      doc: "Work orders of a project by status and priority; deleted ones are left out.",
      count: countWorkOrders,
    }),
    orderRoute(services),
    ...changeRoutes(services),
    ...photoRoutes(services, orders),
    inStepRoute(services),
  ];
}

function listRoute(services: Services): Route {
  return route({
    ...listOf(orders),
    name: "work_orders",
    summary: "Work orders",
    doc: "Work orders of a project, each as it was after its last change, ordered by updated_at " +
      "unless sorted otherwise. Deleted work orders are left out. /docs/work explains the fields.",
    params: list_params,
    handle: (context) => answerPage(services, context, { ...orders, list: listWorkOrders }),
  });
}

function orderRoute(services: Services): Route {
  return getRoute(services, orders, {
    name: "work_order",
    summary: "A work order",
    doc: "A work order as it was after its last change. Use its ETag as If-Match of a change.",
    read: readWorkOrder,
    missing: noOrder,
  });
}

function changeRoutes(services: Services): readonly Route[] {
  return [
    postRoute(services, orders, {
      name: "work_order_post",
      summary: "Make a work order",
      doc: "Makes a work order under an active issue. If an active work order of the issue " +
        "already covers one of the devices, none is made: the answer is 200 with that work order " +
        "and x-svc-existing: true.",
      form: work_order_form,
      body_doc: "The issue, a title, and the fields of the work order.",
      act: createWorkOrder,
    }),
    changeRoute(services, orders, {
      name: "work_order_patch",
      method: "PATCH",
      summary: "Change a work order",
      doc: "Changes the fields in the body; null removes a value; devices must list all lines. " +
        "When a work order is completed, its open lines are completed too. 409 with the reason " +
        "if the state does not allow the change.",
      form: work_order_change_form,
      body_doc: "The fields to change.",
      act: changeWorkOrder,
    }),
    changeRoute(services, orders, {
      name: "work_order_delete",
      method: "DELETE",
      summary: "Delete a work order",
      doc: "Deletes a work order. The history of its issue records this.",
      form: actor_form,
      body_doc: "Who deletes it; may be left out.",
      schema: deleted_schema,
      act: deleteWorkOrder,
    }),
  ];
}

const list_params = [
  project_param,
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
    names: "device",
    doc: "Only work orders that cover this device, by id or key.",
  },
  ...part_params,
] as const satisfies readonly Param[];

const text = { type: "string" } as const;
const deleted_schema = {
  type: "object",
  required: ["id", "title"],
  properties: { id: text, title: text },
} as const;

/** How far an issue or a work order is in step with the centre. */
function inStepRoute({ upstream, database, catalog }: Services): Route {
  return route({
    name: "upstream_work",
    method: "GET",
    path: "/platform/v1/upstream/work",
    summary: "Whether an issue or a work order is in step with the centre",
    doc: "At a gateway: how many changes made here of an issue with its work orders, or of a " +
      "work order with its issue, are not at the centre yet, and since when the two were in " +
      "step. is_set is false where there is no centre.",
    scope: "read",
    project: "project_id",
    params: [project_param, {
      name: "id",
      in: "query",
      kind: "text",
      required: true,
      doc: "ID of the issue or the work order.",
    }],
    answer: { kind: "json", schema: () => z.toJSONSchema(work_schema) },
    handle: async ({ values: { project_id, id } }) => {
      const { project_no } = projectOf({ catalog }, project_id);
      const line = upstream.line_state;
      if (line === null) return Response.json(no_centre);
      const state = await database.read((it) => readChangeState(it, { project_no, id }));
      const textOf = (at_us: number | null) => at_us === null ? null : instantText(at_us);
      const answer: z.input<typeof work_schema> = {
        is_set: true,
        waiting: state.waiting,
        in_step_since: state.waiting === 0 ? textOf(state.told_at) : null,
        refused: state.reason,
        connected: line.connected,
        trouble_since: textOf(line.trouble_since_us),
      };
      return Response.json(answer);
    },
  });
}

const work_schema = z.strictObject({
  is_set: z.boolean().describe("Whether there is a centre."),
  waiting: z.int().describe("Changes made here that the centre does not have."),
  in_step_since: z.string().nullable()
    .describe("When the last change reached the other side; null while one waits. ISO 8601, UTC."),
  refused: z.string().nullable().describe("Why the centre does not take a change; null: it does."),
  connected: z.boolean().describe("Whether the line is up."),
  trouble_since: z.string().nullable().describe("Since when it is not. ISO 8601, UTC."),
}).meta({ title: "UpstreamWork" });

const no_centre: z.input<typeof work_schema> = {
  ...{ is_set: false, waiting: 0, in_step_since: null, refused: null },
  ...{ connected: false, trouble_since: null },
};
