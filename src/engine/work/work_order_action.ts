// What people do with work orders: make them under issues, change them and their lines, delete.
import { Fault } from "../../base/fault.ts";
import { work_limits } from "../../model/work/limits.ts";
import { isActive, type Issue } from "../../model/work/issue.ts";
import { actor_form, parseWork, workRefusal } from "../../model/work/form.ts";
import {
  isActiveOrder,
  isSameLine,
  lineStep,
  type WorkOrder,
  type WorkOrderLine,
  type WorkOrderStep,
  workOrderStep,
} from "../../model/work/work_order.ts";
import {
  type SentWorkOrder,
  type SentWorkOrderChange,
  work_order_change_form,
  work_order_form,
} from "../../model/work/work_order_form.ts";
import {
  actOnWork,
  requireNoCentre,
  takeOrder,
  type WorkActionParts,
  type WorkAnswer,
  type WorkAsk,
} from "./action.ts";
import type { WorkUnitOfWork } from "./unit_of_work.ts";
import { checkAssignee, checkDevices, type Checking, checkInstant, saidOf } from "./request.ts";

/** A request on the work order of an id. */
type WorkOrderAsk = WorkAsk & { readonly id: string };

/**
 * Makes a work order under an issue; where an active one of the issue covers one of the devices,
 * that one is answered and none is made.
 */
export async function createWorkOrder(
  parts: WorkActionParts,
  data: unknown,
  ask: WorkAsk,
): Promise<WorkAnswer> {
  const { user, issue_id, title, status, ...sent } = parseWork(work_order_form, data);
  const checking: Checking = { ...parts, project: ask.project, flaws: [] };
  const said = checkFields(sent, checking);
  const devices = sent.devices && checkDevices(sent.devices, checking);
  if (checking.flaws.length > 0) throw workRefusal(checking.flaws);
  return await actOnWork(parts, { ...ask, user }, async (changes) => {
    const issue = await activeIssue(changes, issue_id, ask);
    const lines = devices ?? issue.devices;
    const orders = changes.ordersOf(issue);
    const existing = orders.find((order) => isActiveOrder(order) && coversOneOf(order, lines));
    if (existing) return { kind: "work_order", id: existing.id, note: "existing" };
    if (orders.length >= work_limits.orders_per_issue) {
      throw new Fault("conflict", `the issue has ${orders.length} work orders`);
    }
    const { priority } = issue;
    const created_by = changes.user_id;
    const draft = { ...blank, priority, ...said, title, status, devices: lines, created_by };
    return { kind: "work_order", id: changes.addOrder(issue, draft).id, note: "created" };
  });
}

/** Changes what is said of a work order: fields first, then its lines, then its status. */
export async function changeWorkOrder(
  parts: WorkActionParts,
  data: unknown,
  ask: WorkOrderAsk,
): Promise<WorkAnswer> {
  const { user, title, status: to, ...sent } = parseWork(work_order_change_form, data);
  const checking: Checking = { ...parts, project: ask.project, flaws: [] };
  const said = checkFields(sent, checking);
  const lines = sent.devices && checkDevices(sent.devices, checking);
  if (checking.flaws.length > 0) throw workRefusal(checking.flaws);
  return await actOnWork(parts, { ...ask, user }, async (changes) => {
    const { stamp_us: at_us } = changes.write;
    let order: WorkOrder = {
      ...await takeOrder(changes, ask.id, ask),
      ...saidOf({ title }),
      ...said,
    };
    if (lines) order = withLines(order, lines, at_us);
    if (to) order = stepped(order, workOrderStep(order, { to, at_us }));
    changes.changeOrder(order);
    return { kind: "work_order", id: order.id };
  });
}

/** Deletes a work order; answers its id and title. */
export async function deleteWorkOrder(
  parts: WorkActionParts,
  data: unknown,
  ask: WorkOrderAsk,
): Promise<WorkAnswer> {
  const { user } = parseWork(actor_form, data);
  requireNoCentre(parts, "delete the work order");
  return await actOnWork(parts, { ...ask, user }, async (changes) => {
    const order = await takeOrder(changes, ask.id, ask);
    changes.deleteOrder(order);
    return { kind: "deleted", shown: { id: order.id, title: order.title } };
  });
}

/** A new work order of which nothing is said. */
const blank = {
  description: null,
  due_date: null,
  work_type: "corrective",
  external_system: null,
  external_id: null,
  external_ref: null,
  external_url: null,
  payload: null,
  assigned_to: null,
} as const satisfies Partial<WorkOrder>;

/** What is said of a work order's fields but its title, as they are kept. */
function checkFields(
  sent: Pick<SentWorkOrder & SentWorkOrderChange, keyof typeof blank | "priority">,
  checking: Checking,
) {
  const { description, priority, work_type, payload } = sent;
  const { external_system, external_id, external_ref, external_url } = sent;
  return saidOf({
    ...{ description, priority, work_type },
    ...{ external_system, external_id, external_ref, external_url },
    due_date: checkInstant(sent.due_date, "due_date", checking),
    payload: payload && JSON.stringify(payload),
    assigned_to: checkAssignee(sent.assigned_to, checking),
  });
}

async function activeIssue(
  changes: WorkUnitOfWork,
  id: string,
  { project: { project_no } }: WorkAsk,
): Promise<Issue> {
  await changes.load({ project_no, issue_ids: [id] });
  const issue = changes.issue(id);
  if (issue === undefined) {
    throw workRefusal([{ path: "issue_id", message: "is no issue of the project" }]);
  }
  if (isActive(issue)) return issue;
  throw new Fault("conflict", `the issue is ${issue.status}: only an active one gets work orders`);
}

function coversOneOf(
  { devices }: WorkOrder,
  wanted: readonly Pick<WorkOrderLine, "device_id">[],
): boolean {
  return devices.some((line) => wanted.some(({ device_id }) => device_id === line.device_id));
}

type SentLine = Pick<WorkOrderLine, "device_id" | "component"> & Partial<WorkOrderLine>;

/** A work order with these lines and no others; of those that it has, what is not said stays. */
function withLines(order: WorkOrder, lines: readonly SentLine[], at_us: number): WorkOrder {
  const devices = lines.map((sent) => {
    const { device_id, component } = sent;
    const known = order.devices.find((line) => isSameLine(line, sent));
    return known ?? { device_id, component, status: "pending", completed_at: null } as const;
  });
  const is_same = devices.length === order.devices.length &&
    devices.every((line, i) => line === order.devices[i]);
  if (!is_same && !isActiveOrder(order)) {
    throw new Fault("conflict", `it is ${order.status}, for good`);
  }
  return lines.reduce<WorkOrder>(
    (order, { device_id, component, status: to }) =>
      to === undefined
        ? order
        : stepped(order, lineStep(order, { device_id, component, to, at_us })),
    is_same ? order : { ...order, devices },
  );
}

function stepped(order: WorkOrder, step: WorkOrderStep): WorkOrder {
  if ("refused" in step) throw new Fault("conflict", step.refused);
  return "unchanged" in step ? order : step.order;
}
