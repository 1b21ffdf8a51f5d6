// Alarms and issues as they were, the order of rows, and the times below the map.
import { deepEqual, equal } from "node:assert/strict";
import { alarmThen, foldIssue, isOpenIssue } from "../../../src/web/inverters/past.ts";
import { shownRows, ticksOf } from "../../../src/web/inverters/cells.ts";
import { latestOf } from "../../../src/web/frame/latest.ts";
import type { Device } from "../../../src/web/frame/plant.ts";

const at = (time: string) => Date.parse(`2026-06-01T${time}:00Z`);

Deno.test("an alarm that is raised later is not there, and one that clears later stands", () => {
  const row = {
    occurrence_id: "a",
    rule_name: "Trip",
    severity: "high",
    alarm_class: "trip",
    decoded_labels: [],
    raised_at: "2026-06-01T10:00:00.000000Z",
    cleared_at: "2026-06-01T12:00:00.000000Z",
  };
  equal(alarmThen(row, at("09:59")), undefined);
  equal(alarmThen(row, at("11:00"))?.cleared_ms, undefined);
  equal(alarmThen(row, at("12:00"))?.cleared_ms, at("12:00"));
  equal(alarmThen(row, at("12:00"))?.is_outage, true);
  equal(alarmThen({ ...row, alarm_class: "comms" }, at("12:00"))?.is_outage, false);
});

Deno.test("an issue is what its history had said by then", () => {
  const order = { number: 1, title: "Look", status: "completed", created_at: "2026-06-01T10:00Z" };
  const row = {
    id: "i",
    number: 1,
    name: "Later name",
    status: "closed",
    priority: "low",
    created_at: "2026-06-01T10:00Z",
    updated_at: "2026-06-01T14:00Z",
    devices: [],
    work_orders: [{ ...order, updated_at: "2026-06-01T13:00Z" }],
  };
  const change = { kind: "changed", created_at: "2026-06-01T11:00Z" };
  const history = [
    {
      kind: "created",
      field: null,
      next_value: { name: "It trips", status: "open", priority: "high" },
      created_at: "2026-06-01T10:00Z",
    },
    { ...change, field: "priority", next_value: "urgent" },
    { ...change, field: "status", next_value: "closed", created_at: "2026-06-01T14:00Z" },
  ];
  const then = foldIssue(row, { history, at_ms: at("12:00") });
  deepEqual([then.name, then.status, then.priority], ["It trips", "open", "urgent"]);
  deepEqual(then.work_orders, []);
  equal(isOpenIssue(then), true);
  equal(isOpenIssue(foldIssue(row, { history, at_ms: at("14:00") })), false);
});

Deno.test("rows stand by name as people count, by block, or the worst first", () => {
  const devices = ["Inverter 10", "Inverter 2", "Inverter 1"].map((name, i) => ({
    name,
    key: `K${i}`,
    block_id: i === 2 ? "b" : "a",
  })) as unknown as readonly Device[];
  // Identifiers say nothing of an order.
  const names = new Map([["a", { name: "Block 10" }], ["b", { name: "Block 2" }]]);
  const asked = { sort: "name", block_id: undefined, names, find: "" } as const;
  deepEqual(shownRows(devices, [1, NaN, 2], asked), [2, 1, 0]);
  deepEqual(shownRows(devices, [1, NaN, 2], { ...asked, sort: "block" }), [2, 1, 0]);
  deepEqual(shownRows(devices, [1, NaN, 2], { ...asked, sort: "shortfall" }), [2, 0, 1]);
  deepEqual(shownRows(devices, [1, 1, 1], { ...asked, find: "k1" }), [1]);
  deepEqual(shownRows(devices, [1, 1, 1], { ...asked, block_id: "b" }), [2]);
});

Deno.test("the latest value of a sensor is as old as its sample, which is carried on", () => {
  const columns: Readonly<Record<string, readonly number[]>> = {
    ts: [60_000, 60_000, 120_000, 120_000, 120_000],
    value: [38, 5, 38, 5, NaN],
    value_int: [NaN, NaN, NaN, NaN, 7],
    carried: [0, 1, 1, 1, 0],
  };
  const latest = latestOf({
    length: 5,
    numbers: (name) => Float64Array.from(columns[name]),
    texts: () => ["a", "slow", "a", "slow", "b"],
  });
  deepEqual([...latest], [
    ["a", { value: 38, ts_ms: 60_000 }],
    // It came before all rows: it still stands, but when it came is not known here.
    ["slow", { value: 5, ts_ms: undefined }],
    ["b", { value: 7, ts_ms: 120_000 }],
  ]);
});

Deno.test("ticks are at round hours, and an offset that changes is written again", () => {
  const begin = Date.parse("2026-11-01T07:00Z");
  const starts = Float64Array.from({ length: 12 * 4 }, (_, i) => begin + i * 900_000);
  const labels = ticksOf(starts, { zone: "America/Denver", most: 12 }).map(({ label }) => label);
  deepEqual(labels.slice(0, 3), ["01:00\n−06:00", "01:00\n−07:00", "02:00"]);
});
