// Issues and work orders as items, as they were at a moment, and as the form changes them.
import { deepEqual, equal } from "node:assert/strict";
import type { HistoryRow, IssueRow } from "../../../src/model/work/issue_shape.ts";
import { changeOf, draftOfIssue, localText } from "../../../src/web/work/draft.ts";
import { isLate, isWanted, itemsOf, sorted } from "../../../src/web/work/item.ts";
import { asNow, differencesOf, issueAt } from "../../../src/web/work/replay.ts";

const user = { id: "u1", first_name: "Anna", last_name: "Ruiz", email: "anna@example.org" };
const common = {
  organization_id: "o",
  project_id: "p",
  project: { key: "p" },
  description: null,
  created_by: user,
};

const order = {
  ...common,
  id: "o1",
  number: 7,
  issue_id: "i1",
  title: "Change the fan",
  status: "completed",
  priority: "low",
  due_date: "2026-06-02T16:00:00Z",
  work_type: "corrective",
  external_system: null,
  external_id: null,
  external_ref: null,
  external_url: null,
  payload: null,
  assigned_to: user,
  devices: [{
    device_id: "d1",
    component: "inverter",
    status: "completed",
    completed_at: "2026-06-01T14:00:00Z",
  }],
  created_at: "2026-06-01T11:00:00Z",
  updated_at: "2026-06-01T14:00:00Z",
};

const row = {
  ...common,
  id: "i1",
  number: 3,
  sentinel_tag: null,
  name: "Fan is loud",
  status: "resolved",
  priority: "high",
  source: "manual",
  external_id: null,
  effective_from: "2026-06-01T09:00:00Z",
  effective_to: null,
  resolved_at: "2026-06-01T15:00:00Z",
  assigned_to: null,
  devices: [{ device_id: "d1", component: "inverter", effective_from: null, effective_to: null }],
  work_orders: [order],
  merged_into: null,
  created_at: "2026-06-01T10:00:00Z",
  updated_at: "2026-06-01T15:00:00Z",
} as unknown as IssueRow;

const happened = (at: string, field: string, previous_value: unknown, next_value: unknown) =>
  ({ field, previous_value, next_value, created_at: `2026-06-01T${at}:00Z` }) as HistoryRow;

const history = [
  happened("12:00", "status", "open", "in_progress"),
  happened("13:00", "assigned_to", "u1", null),
  happened("15:00", "status", "in_progress", "resolved"),
  // Of a work order: it changed nothing of the issue.
  { ...happened("15:30", "status", "on_hold", "completed"), kind: "conflict" } as HistoryRow,
];

const at = (time: string) => Date.parse(`2026-06-01T${time}:00Z`);

Deno.test("an issue at a moment is what its history had made of it", () => {
  equal(issueAt(row, { history, at_ms: at("09:59") }), undefined);
  const early = issueAt(row, { history, at_ms: at("10:30") })!;
  deepEqual([early.status, early.assigned_to, early.resolved_at], ["open", user, null]);
  deepEqual(early.work_orders, []);
  const later = issueAt(row, { history, at_ms: at("14:30") })!;
  deepEqual([later.status, later.assigned_to], ["in_progress", null]);
  equal(later.work_orders[0].status, "completed");
  equal(issueAt(row, { history, at_ms: at("15:00") })!.status, "resolved");
});

Deno.test("what a work order was before its last change is not known", () => {
  const [then] = issueAt(row, { history, at_ms: at("12:30") })!.work_orders;
  equal(then.status, null);
  deepEqual(then.devices.map(({ status, completed_at }) => [status, completed_at]), [[
    "pending",
    null,
  ]]);
  const [, item] = itemsOf(issueAt(row, { history, at_ms: at("12:30") })!);
  equal(item.stage, "unknown");
});

Deno.test("items are found by whose they are, their device, and their words", () => {
  const items = itemsOf(asNow(row));
  deepEqual(items.map(({ kind, stage }) => [kind, stage]), [["issue", "done"], ["order", "done"]]);
  const found = (wanted: object) =>
    items.filter((it) => isWanted(it, { words: "", ...wanted })).map(({ kind }) => kind);
  deepEqual(found({ user_id: "u1" }), ["order"]);
  deepEqual(found({ kind: "issue" }), ["issue"]);
  deepEqual(found({ priority: "low" }), ["order"]);
  deepEqual(found({ device_id: "d1" }), ["issue", "order"]);
  deepEqual(found({ device_id: "d2" }), []);
  deepEqual(found({ words: "CHANGE fan" }), ["order"]);
  deepEqual(found({ words: "loud" }), ["issue", "order"]);
  deepEqual(found({ words: "#7" }), ["order"]);
});

Deno.test("the most urgent first, or what is due first; done work is never late", () => {
  const [issue, done] = itemsOf(asNow(row));
  const open = { ...done, status: "open" as const };
  deepEqual(sorted([done, issue], "urgency"), [issue, done]);
  deepEqual(sorted([issue, done], "due"), [done, issue]);
  equal(isLate(open, Date.parse("2026-06-03T00:00:00Z")), true);
  equal(isLate(open, Date.parse("2026-06-02T00:00:00Z")), false);
  equal(isLate(done, Date.parse("2026-06-03T00:00:00Z")), false);
});

Deno.test("a change sends what was changed, and devices that stay as they are", () => {
  const zone = "America/Denver";
  equal(localText("2026-06-01T09:00:00Z", zone), "2026-06-01T03:00");
  const before = draftOfIssue(asNow(row), zone);
  const change = (part: Partial<typeof before>) =>
    changeOf({ before, after: { ...before, ...part }, row: asNow(row), what: "issue", zone });
  deepEqual(change({}), {});
  deepEqual(change({ name: " Fan is broken ", to: "2026-06-01T05:00" }), {
    name: "Fan is broken",
    effective_to: "2026-06-01T11:00:00.000Z",
  });
  deepEqual(change({ device_ids: ["d1", "d2"] }), {
    devices: [row.devices[0], { device_id: "d2" }],
  });
  deepEqual(change({ device_ids: [] }), { devices: [] });
});

Deno.test("what somebody else changed is told apart from what says nothing", () => {
  const now = { ...row, status: "open", updated_at: "2026-06-01T16:00:00Z", resolved_at: null };
  deepEqual(differencesOf(row, now), [{ field: "status", before: "resolved", after: "open" }]);
  deepEqual(differencesOf(row, { ...row, work_orders: [] }), []);
});
