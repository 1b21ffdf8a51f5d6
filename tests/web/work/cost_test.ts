// What a fault cost, by hand: spans within its time, parts of spans, and what is not in it.
import { deepEqual, equal } from "node:assert/strict";
import type { Device } from "../../../src/web/frame/plant.ts";
import { affectedOf, costOf, type LossSpan, reckonedTo } from "../../../src/web/work/cost.ts";

const device = (key: string, type: string, parent_id: string | null = null): Device => ({
  device_id: key,
  key,
  name: key,
  type,
  site_id: "s",
  parent_id,
  block_id: null,
  rated_w: null,
  rated_dc_w: null,
  capacity_wh: null,
  hierarchy_id: `h-${key}`,
  sensors: [],
});

const plant = [
  device("T", "transformer"),
  device("I1", "inverter", "T"),
  device("I2", "inverter", "T"),
  device("I3", "inverter"),
];

const at = (time: string) => Date.parse(`2026-06-01T${time}:00Z`);
const noon = at("12:00");

const issue = (
  devices: readonly string[],
  effective_from: string | null = "2026-06-01T10:00:00Z",
  effective_to: string | null = "2026-06-01T11:00:00Z",
) => ({
  effective_from,
  effective_to,
  devices: devices.map((device_id) => (
    { device_id, component: "inverter", effective_from: null, effective_to: null }
  )),
});

const span = (
  key: string,
  from: string,
  to: string,
  part: LossSpan["part"],
  energy_wh: number,
): LossSpan => ({ hierarchy_id: `h-${key}`, from_ms: at(from), to_ms: at(to), part, energy_wh });

Deno.test("an issue of a transformer counts the inverters below it, each once", () => {
  const keys = (devices: readonly string[]) =>
    affectedOf(issue(devices), { devices: plant, moment_ms: noon }).map(({ device }) => device.key);
  deepEqual(keys(["T"]), ["I1", "I2"]);
  deepEqual(keys(["T", "I1"]), ["I1", "I2"]);
  deepEqual(keys(["I3"]), ["I3"]);
  deepEqual(keys([]), []);
});

Deno.test("its time ends with it or at the moment, and without a begin nothing counts", () => {
  const times = (it: ReturnType<typeof issue>, moment = noon) =>
    affectedOf(it, { devices: plant, moment_ms: moment }).map((
      { from_ms, to_ms },
    ) => [from_ms, to_ms]);
  deepEqual(times(issue(["I1"])), [[at("10:00"), at("11:00")]]);
  deepEqual(times(issue(["I1"], "2026-06-01T10:00:00Z", null)), [[at("10:00"), noon]]);
  deepEqual(times(issue(["I1"]), at("10:30")), [[at("10:00"), at("10:30")]]);
  deepEqual(times(issue(["I1"]), at("09:00")), []);
  deepEqual(times(issue(["I1"], null)), []);
});

Deno.test("losses are added by cause; of a span that goes beyond, its share", () => {
  const affected = affectedOf(issue(["I1", "I2"]), { devices: plant, moment_ms: noon });
  const cost = costOf([
    span("I1", "10:00", "10:30", "unavailability", 300),
    // An hour of which half is before: half of its energy counts.
    span("I2", "09:30", "10:30", "unavailability", 100),
    span("I2", "10:30", "11:30", "derate", 40),
    span("I2", "10:15", "10:30", "unmeasured", 7),
    span("I1", "11:00", "11:15", "derate", 999),
    span("I3", "10:00", "10:30", "derate", 999),
  ], affected);
  deepEqual(cost, {
    lost_wh: 370,
    parts: [{ part: "unavailability", energy_wh: 350 }, { part: "derate", energy_wh: 20 }],
    unmeasured_wh: 7,
  });
  equal(costOf([], affected).lost_wh, 0);
});

Deno.test("what is not reckoned yet is not known, not nothing", () => {
  const open = issue(["I1"], "2026-06-01T10:02:00Z", null);
  const to = (time: string, spans: readonly LossSpan[] = []) => {
    const affected = affectedOf(open, { devices: plant, moment_ms: at(time) });
    return reckonedTo(spans, { affected, moment_ms: at(time) });
  };
  equal(to("10:04"), NaN, "two minutes after the trip");
  equal(to("10:19"), NaN, "the quarter-hour is just over, and no loss is there");
  const lost = span("I1", "10:00", "10:15", "unavailability", 10);
  equal(to("10:17", [lost]), at("10:15"));
  equal(to("10:20"), at("10:15"));
  equal(to("10:13", [lost]), NaN, "a stretch that is not over tells nothing");
  const over = affectedOf(issue(["I1"]), { devices: plant, moment_ms: noon });
  equal(reckonedTo([], { affected: over, moment_ms: noon }), at("11:00"));
});
