// The work of a month: what faults cost while they lasted, and what was done or open by its end.
import { deepEqual, equal } from "node:assert/strict";
import { completedMs, costOf, type Issue, issuesOf } from "../../../src/web/report/work.ts";

const at = (text: string) => Date.parse(`2026-06-${text}Z`);
const time = { from_ms: at("01T00:00"), to_ms: Date.parse("2026-07-01T00:00Z") };

const issue = (said: Partial<Issue>): Issue => ({
  id: "i",
  number: 1,
  name: "Trip",
  status: "open",
  priority: "high",
  effective_from: "2026-06-10T10:00:00Z",
  effective_to: "2026-06-10T12:00:00Z",
  resolved_at: null,
  created_at: "2026-06-10T12:30:00Z",
  devices: [{ device_id: "a" }],
  ...said,
});

const loss = (part: string, from: string, to: string, energy: number, device_id = "a") => ({
  device_id,
  part,
  from_ms: at(from),
  to_ms: at(to),
  energy,
});

const losses = [
  loss("unavailability", "10T09:00", "10T11:00", 100),
  loss("derate", "10T11:00", "10T12:00", 30),
  loss("curtailment", "10T10:00", "10T12:00", 500),
  loss("unavailability", "10T10:00", "10T12:00", 700, "b"),
  loss("unavailability", "20T10:00", "20T12:00", 1000),
];

Deno.test("a fault costs what its devices lost while it lasted, without setpoints", () => {
  // Half of the two hours from 9, and all of the derate.
  equal(costOf(issue({}), { losses, time }), 80);
  equal(costOf(issue({ effective_to: null }), { losses, time }), 1080);
  equal(
    costOf(issue({ effective_to: null, resolved_at: "2026-06-20T11:00:00Z" }), { losses, time }),
    580,
  );
  equal(
    costOf(issue({ devices: [{ device_id: "b", effective_to: "2026-06-10T11:00:00Z" }] }), {
      losses,
      time,
    }),
    350,
  );
});

Deno.test("issues are those resolved in the time or open by its end, the dearest first", () => {
  const rows = issuesOf([
    issue({ id: "open" }),
    issue({
      id: "done",
      effective_to: null,
      resolved_at: "2026-06-25T00:00:00Z",
      status: "closed",
    }),
    issue({ id: "before", resolved_at: "2026-05-25T00:00:00Z", status: "resolved" }),
    issue({ id: "after", effective_from: "2026-07-02T00:00:00Z" }),
    issue({ id: "later", resolved_at: "2026-07-25T00:00:00Z", status: "resolved" }),
    issue({ id: "merged", status: "merged" }),
    issue({ id: "late", created_at: "2026-07-03T00:00:00Z" }),
  ], { losses, time });
  deepEqual(rows.map(({ issue: { id }, resolved_ms }) => [id, resolved_ms]), [
    ["done", at("25T00:00")],
    ["open", undefined],
    ["later", undefined],
    ["late", undefined],
  ]);
  // What was entered after the time says so.
  deepEqual(rows.map(({ entered_ms }) => entered_ms), [
    ...[undefined, undefined, undefined],
    Date.parse("2026-07-03T00:00:00Z"),
  ]);
});

Deno.test("a work order was completed with its last device", () => {
  const order = {
    id: "w",
    number: 1,
    title: "",
    status: "completed",
    work_type: "corrective",
    updated_at: "2026-06-12T00:00:00Z",
    devices: [],
  };
  equal(completedMs(order), at("12T00:00"));
  const devices = [{ device_id: "a", completed_at: "2026-06-11T00:00:00Z" }];
  equal(completedMs({ ...order, devices }), at("11T00:00"));
  equal(completedMs({ ...order, status: "open" }), NaN);
});
