// Work orders under /platform/v1/work-orders: a project's, one; making, changing, deleting them.
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
import { countWorkOrders, listWorkOrders, readWorkOrder } from "../../store/work/work_order.ts";
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
