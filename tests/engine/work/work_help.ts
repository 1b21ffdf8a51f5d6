// Sequences of changes of work for tests, and what each leaves behind, computed naively.
import fc from "fast-check";
import type { WorkUnitOfWork } from "../../../src/engine/work/unit_of_work.ts";
import {
  isActive,
  type Issue,
  issue_statuses,
  issueStep,
  mergeStep,
  work_priorities,
} from "../../../src/model/work/issue.ts";
import {
  active_order_statuses,
  line_statuses,
  lineStep,
  order_statuses,
  type WorkOrder,
  workOrderStep,
} from "../../../src/model/work/work_order.ts";
import { issueDraft, orderDraft } from "../../help/work.ts";
import { queryRows } from "../../help/query.ts";

const pick = fc.nat({ max: 11 });
const device = fc.constantFrom("d1", "d2", "d3");
const time = fc.option(fc.integer({ min: 0, max: 2 ** 50 }));
const text = fc.option(fc.constantFrom("one", 'quoted " and \\', "ünï 🌞", ""));
const issue_devices = fc.uniqueArray(
  fc.record({
    device_id: device,
    component: fc.constantFrom("inverter", "fan"),
    effective_from: time,
    effective_to: time,
  }),
  { maxLength: 3, selector: ({ device_id, component }) => device_id + component },
);
const issue_patch = fc.record({
  name: fc.constantFrom("a", "b"),
  description: text,
  priority: fc.constantFrom(...work_priorities),
  sentinel_tag: text,
  external_id: text,
  effective_from: time,
  effective_to: time,
  assigned_to: fc.option(fc.constantFrom("u1", "u2")),
  devices: issue_devices,
}, { requiredKeys: [] });
const order_patch = fc.record({
  title: fc.constantFrom("a", "b"),
  work_type: fc.constantFrom("cleaning", "upgrade"),
  due_date: time,
  payload: fc.option(fc.constantFrom('{"a":[1,null]}', "{}")),
  assigned_to: fc.option(fc.constantFrom("u1", "u2")),
}, { requiredKeys: [] });

const change = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("add_issue" as const), patch: issue_patch }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("add_order" as const),
      at: pick,
      status: fc.constantFrom(...active_order_statuses, "in_progress" as const),
      devices: fc.uniqueArray(device, { minLength: 1, maxLength: 3 }),
      patch: order_patch,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("step_issue" as const),
      at: pick,
      to: fc.constantFrom(...issue_statuses),
    }),
  },
  fc.record({ do: fc.constant("edit_issue" as const), at: pick, patch: issue_patch }),
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("step_order" as const),
      at: pick,
      to: fc.constantFrom(...order_statuses),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("step_line" as const),
      at: pick,
      device_id: device,
      to: fc.constantFrom(...line_statuses),
    }),
  },
  fc.record({ do: fc.constant("edit_order" as const), at: pick, patch: order_patch }),
  fc.record({
    do: fc.constant("merge" as const),
    at: pick,
    from: fc.array(pick, { maxLength: 2 }),
  }),
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("move_order" as const), at: pick, to: pick }),
  },
  fc.record({ do: fc.constant("delete_issue" as const), at: pick }),
  fc.record({ do: fc.constant("delete_order" as const), at: pick }),
  fc.record({ do: fc.constant("comment" as const), at: pick }),
  fc.record({
    do: fc.constant("link" as const),
    at: pick,
    nos: fc.uniqueArray(fc.integer({ min: 1, max: 3 })),
  }),
);
export type WorkChange = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** Writes of some changes each in a project; those that fail do so after their last change. */
export const some_writes = fc.array(
  fc.record({
    project_no: fc.constantFrom(1, 1, 1, 1, 2, 3),
    changes: fc.array(change, { minLength: 1, maxLength: 10, size: "max" }),
    fails: fc.nat({ max: 7 }).map((n) => n === 0),
  }),
  { minLength: 1, maxLength: 14, size: "max" },
);
export type WorkWrite = typeof some_writes extends fc.Arbitrary<(infer T)[]> ? T : never;

/** Makes the changes of a write on whatever its project has. */
export async function makeChanges(changes: WorkUnitOfWork, write: WorkWrite): Promise<void> {
  const { project_no } = write;
  const { connection } = changes.write;
  const rows = await queryRows<{ id: string }>(
    connection,
    "SELECT id FROM issue WHERE project_no = $project_no::INTEGER ORDER BY issue_no",
    { project_no },
  );
  const ids = rows.map(({ id }) => id);
  await changes.load({ project_no, issue_ids: ids });
  for (const change of write.changes) {
    const issues = ids.flatMap((id) => changes.issue(id) ?? []);
    const orders = issues.flatMap((issue) => changes.ordersOf(issue));
    changes.user_id = `u${change.do.length % 3}`;
    if (change.do === "add_issue") {
      ids.push(changes.addIssue(issueDraft({ project_no, ...change.patch })).id);
      continue;
    }
    const issue = issues[change.at % issues.length];
    const order = orders[change.at % orders.length];
    if (issue) changeIssue(changes, issue, { change, issues });
    if (order && change.do === "move_order") {
      const { issue_no } = issues[change.to % issues.length];
      changes.changeOrder({ ...order, issue_no });
    } else if (order) changeOrder(changes, order, change);
  }
}

function changeIssue(
  changes: WorkUnitOfWork,
  issue: Issue,
  { change, issues }: { readonly change: WorkChange; readonly issues: readonly Issue[] },
): void {
  const at_us = changes.write.stamp_us;
  switch (change.do) {
    case "add_order": {
      const { status, patch } = change;
      const devices = change.devices.map((device_id) => ({ device_id, component: "inverter" }));
      changes.addOrder(issue, orderDraft({ status, devices, ...patch }));
      break;
    }
    case "step_issue": {
      const step = issueStep(issue, { to: change.to, at_us });
      if ("issue" in step) changes.changeIssue(step.issue);
      break;
    }
    case "edit_issue":
      changes.changeIssue({ ...issue, ...change.patch });
      break;
    case "merge": {
      const others = issues.filter((it) => it !== issue && isActive(it));
      const from = new Set(change.from.flatMap((at) => others[at % others.length] ?? []));
      const step = mergeStep(issue, [...from]);
      if ("merged" in step) changes.merge(issue, step.merged);
      break;
    }
    case "delete_issue":
      changes.deleteIssue(issue);
      break;
    case "comment":
      changes.changeIssue(issue, [{ kind: "commented", detail: { body: "so it is" } }]);
      break;
    case "link":
      changes.link(
        issue,
        change.nos.map((no) => ({ occurrence_no: no, occurrence_id: `alarm-${no}` })),
      );
      break;
  }
}

function changeOrder(changes: WorkUnitOfWork, order: WorkOrder, change: WorkChange): void {
  const at_us = changes.write.stamp_us;
  switch (change.do) {
    case "step_order": {
      const step = workOrderStep(order, { to: change.to, at_us });
      if ("order" in step) changes.changeOrder(step.order);
      break;
    }
    case "step_line": {
      const { device_id, to } = change;
      const step = lineStep(order, { device_id, component: "inverter", to, at_us });
      if ("order" in step) changes.changeOrder(step.order);
      break;
    }
    case "edit_order":
      changes.changeOrder({ ...order, ...change.patch });
      break;
    case "delete_order":
      changes.deleteOrder(order);
      break;
  }
}
