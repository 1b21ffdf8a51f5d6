// Which inverters are out at a moment, and how many produce.
import { deepEqual, equal } from "node:assert/strict";
import { outAt, outReason, producingSince } from "../../../src/web/overview/out.ts";

const trip = {
  alarm_class: "trip",
  cleared_ms: null,
  rule_name: "Inverter trip",
  status: "open",
} as const;

const off = { power_w: 0, ts_ms: 0 };

Deno.test("an inverter is out by a trip that stands, unless it produces", () => {
  const facts = { newest: off, alarms: [trip], is_state_out: false };
  equal(outReason(facts), "Inverter trip");
  equal(outReason({ ...facts, newest: undefined }), "Inverter trip");
  equal(outReason({ ...facts, newest: { power_w: 5, ts_ms: 0 } }), undefined);
  equal(outReason({ ...facts, alarms: [{ ...trip, cleared_ms: 1 }] }), undefined);
  equal(outReason({ ...facts, alarms: [{ ...trip, alarm_class: "comms" }] }), undefined);
  equal(outReason({ ...facts, alarms: [{ ...trip, status: "resolved" }] }), undefined);
});

Deno.test("it is out by its state alone, without an alarm", () => {
  equal(outReason({ newest: off, alarms: [], is_state_out: true }), "");
  equal(outReason({ newest: off, alarms: [], is_state_out: false }), undefined);
});

Deno.test("the newest state by the moment counts, and only a recent one", () => {
  const minute = 60_000;
  const states = {
    hierarchy_id: ["a", "b", "c", "a", "b"],
    from: Float64Array.of(0, 0, 0, 15, 15).map((it) => it * minute),
    to: Float64Array.of(15, 15, 15, 30, 30).map((it) => it * minute),
    unavailable: Float64Array.of(1, 0, 1, 0, 1),
  };
  deepEqual(outAt(states, 34 * minute), new Set(["b", "c"]));
  deepEqual(outAt(states, 15 * minute), new Set(["a", "c"]), "nothing later than the moment");
  deepEqual(outAt(states, 50 * minute), new Set(["b"]));
  deepEqual(outAt(states, 61 * minute), new Set());
});

Deno.test("values of the day tell how many produce, none of the day before", () => {
  const made = (ts_ms: number, power_w = 5) => ({ ts_ms, power_w });
  const day_ms = 100;
  deepEqual(producingSince([made(100), made(140, 0), made(130), made(99)], day_ms), {
    count: 2,
    newest_ms: 140,
  });
  deepEqual(producingSince([made(99), made(40)], day_ms), { count: NaN, newest_ms: 99 });
});
