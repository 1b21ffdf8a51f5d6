// The life of a work order and of its lines: every change of status, with its reason.
import assert from "node:assert/strict";
import {
  line_statuses,
  lineStep,
  order_statuses,
  type OrderStatus,
  workedDevices,
  type WorkOrder,
  type WorkOrderStep,
  workOrderStep,
} from "../../../src/model/work/work_order.ts";
import { lineOf, orderOf } from "../../help/work.ts";

const to_any_other: Record<OrderStatus, string> = {
  draft: "ok",
  open: "ok",
  scheduled: "ok",
  in_progress: "ok",
  on_hold: "ok",
  completed: "ok",
  cancelled: "ok",
};
const never = (reason: string): Record<OrderStatus, string> => ({
  draft: reason,
  open: reason,
  scheduled: reason,
  in_progress: reason,
  on_hold: reason,
  completed: reason,
  cancelled: reason,
});

/** What every status (first) makes of a change to another one. */
const steps: Record<OrderStatus, Record<OrderStatus, string>> = {
  draft: to_any_other,
  open: to_any_other,
  scheduled: to_any_other,
  in_progress: to_any_other,
  on_hold: to_any_other,
  completed: never("it is completed, for good"),
  cancelled: never("it is cancelled, for good"),
};

function cameTo(step: WorkOrderStep): string {
  return "refused" in step ? step.refused : "order" in step ? "ok" : "same";
}

function orderAfter(step: WorkOrderStep): WorkOrder {
  assert.ok("order" in step);
  return step.order;
}

for (const from of order_statuses) {
  Deno.test(`a work order that is ${from} goes where it may, and says why not elsewhere`, () => {
    for (const to of order_statuses) {
      const step = workOrderStep(orderOf({ status: from }), { to, at_us: 7 });
      assert.equal(cameTo(step), from === to ? "same" : steps[from][to], `${from} to ${to}`);
      if ("order" in step) assert.equal(step.order.status, to);
    }
  });
}

Deno.test("completing a work order completes what is left of it", () => {
  const devices = [
    lineOf("a"),
    lineOf("b", { status: "in_progress" }),
    lineOf("c", { status: "skipped" }),
    lineOf("d", { status: "completed", completed_at: 3 }),
  ];
  const { devices: after } = orderAfter(
    workOrderStep(orderOf({ status: "in_progress", devices }), { to: "completed", at_us: 7 }),
  );
  assert.deepEqual(after, [
    lineOf("a", { status: "completed", completed_at: 7 }),
    lineOf("b", { status: "completed", completed_at: 7 }),
    lineOf("c", { status: "skipped" }),
    lineOf("d", { status: "completed", completed_at: 3 }),
  ]);
});

Deno.test("cancelling a work order leaves its lines as they are", () => {
  const devices = [lineOf("a"), lineOf("b", { status: "in_progress" })];
  const order = orderOf({ status: "in_progress", devices });
  assert.deepEqual(
    orderAfter(workOrderStep(order, { to: "cancelled", at_us: 7 })).devices,
    devices,
  );
});

for (const from of line_statuses) {
  Deno.test(`a line that is ${from} becomes anything while its work order is active`, () => {
    const completed_at = from === "completed" ? 3 : null;
    const order = orderOf({ devices: [lineOf("a", { status: from, completed_at }), lineOf("b")] });
    for (const to of line_statuses) {
      const change = { device_id: "a", component: "inverter", to, at_us: 7 };
      const step = lineStep(order, change);
      assert.equal(cameTo(step), from === to ? "same" : "ok");
      if (from === to) continue;
      const at = to === "completed" ? 7 : null;
      assert.deepEqual(
        orderAfter(step).devices,
        [lineOf("a", { status: to, completed_at: at }), lineOf("b")],
      );
      for (const status of ["completed", "cancelled"] as const) {
        assert.equal(cameTo(lineStep({ ...order, status }, change)), `it is ${status}, for good`);
      }
    }
  });
}

Deno.test("a line is named by its device and its component", () => {
  const order = orderOf({ devices: [lineOf("a"), lineOf("a", { component: "fan" })] });
  const change = { device_id: "a", to: "skipped", at_us: 7 } as const;
  const { devices } = orderAfter(lineStep(order, { ...change, component: "fan" }));
  assert.deepEqual(devices.map(({ status }) => status), ["pending", "skipped"]);
  const reason = "it has no line of this device and component";
  assert.equal(cameTo(lineStep(order, { ...change, component: "meter" })), reason);
});

Deno.test("devices with work left are worked on while their work order is in progress", () => {
  const devices = [
    lineOf("a"),
    lineOf("b", { status: "in_progress" }),
    lineOf("c", { status: "skipped" }),
    lineOf("d", { status: "completed", completed_at: 3 }),
    lineOf("d", { component: "fan" }),
  ];
  for (const status of order_statuses) {
    const worked = [...workedDevices(orderOf({ status, devices }))];
    assert.deepEqual(worked, status === "in_progress" ? ["a", "b", "d"] : []);
  }
  assert.equal(workedDevices(orderOf({ status: "in_progress", devices, deleted_at: 5 })).size, 0);
});
