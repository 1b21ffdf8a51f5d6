// What is drawn of a trial: limits, watched tags, lengths, and a curve that loses no peak.
import { deepEqual, equal } from "node:assert/strict";
import type { Device, Sensor } from "../../../src/web/frame/plant.ts";
import {
  envelope,
  limitsOf,
  longestOf,
  unitOf,
  watchedTags,
} from "../../../src/web/rules/trial.ts";

const sensor = (sensor_tag: string, component: string, component_measure: string): Sensor => ({
  hierarchy_id: sensor_tag,
  sensor_tag,
  component,
  component_measure,
  unit: "W",
  source_unit: "kW",
  tag_class: null,
  value_encoding: "float",
});

const device = (key: string, type: string, sensors: readonly Sensor[]): Device => ({
  device_id: key,
  key,
  name: key,
  type,
  site_id: "s",
  parent_id: null,
  block_id: null,
  rated_w: null,
  rated_dc_w: null,
  capacity_wh: null,
  hierarchy_id: null,
  sensors,
});

const plant = {
  devices: [
    device("I1", "inverter", [sensor("I1.P", "inverter", "active_power")]),
    device("I2", "inverter", [sensor("I2.P", "inverter", "active_power")]),
    device("M", "meter", [sensor("M.P", "meter", "active_power")]),
  ],
  sensors: [sensor("MET.G", "met", "ghi")],
};

Deno.test("the tags that a rule watches", () => {
  const by = (definition: Record<string, unknown>) => watchedTags(definition, plant);
  deepEqual(by({ measure: "active_power", component: "inverter" }), ["I1.P", "I2.P"]);
  deepEqual(by({ measure: "active_power" }), ["I1.P", "I2.P", "M.P"]);
  deepEqual(by({ measure: "ghi" }), ["MET.G"]);
  deepEqual(by({ measure: "active_power", device: "M" }), ["M.P"]);
  deepEqual(by({ tag: "{device}.T", component: "inverter" }), ["I1.T", "I2.T"]);
  deepEqual(by({ tag: "PLAIN" }), ["PLAIN"]);
  deepEqual(by({ event_word: true, component: "inverter" }), []);
});

Deno.test("limits and units are those of the watched values", () => {
  deepEqual(limitsOf({ kind: "threshold", threshold: 5 }), [5]);
  deepEqual(limitsOf({ kind: "outside", low: 1, high: 2 }), [1, 2]);
  deepEqual(limitsOf({ kind: "stale", max_age_s: 300 }), []);
  const { sensors } = plant.devices[0];
  equal(unitOf({ measure: "active_power" }, sensors), "W");
  equal(unitOf({ tag: "I1.P" }, sensors), "kW");
  equal(unitOf({ tag: "other" }, sensors), "");
});

Deno.test("the longest alarm, also one that still stands", () => {
  const raised = (raised_at: string, cleared_at: string | null) => (
    { raised_at, cleared_at, raised_value: 1, peak_value: 1, decoded_labels: [] }
  );
  const tag = (occurrences: readonly ReturnType<typeof raised>[]) => ({
    source_tag: "A",
    device_key: null,
    raised: occurrences.length,
    standing_s: 0,
    chattering: 0,
    occurrences,
    occurrences_total: occurrences.length,
  });
  const counts = { tags_watched: 1, tags_silent: 0, raised: 2, standing_s: 0, chattering: 0 };
  const end_ms = Date.parse("2026-06-01T12:00:00Z");
  const short = raised("2026-06-01T10:00:00Z", "2026-06-01T10:05:00Z");
  const standing = raised("2026-06-01T11:30:00Z", null);
  equal(longestOf({ ...counts, tags: [tag([short, standing])] }, end_ms), 30 * 60_000);
  equal(longestOf({ ...counts, tags: [] }, end_ms), undefined);
});

Deno.test("a long curve is drawn by its extremes, in the order of time", () => {
  const instants = Float64Array.from({ length: 1000 }, (_, i) => i);
  const values = Float64Array.from(instants, (i) => i === 333 ? 99 : i === 777 ? -99 : 0);
  const drawn = envelope({ instants, values }, 10);
  equal(drawn.instants.length <= 20, true);
  deepEqual([Math.max(...drawn.values), Math.min(...drawn.values)], [99, -99]);
  deepEqual([...drawn.instants], [...drawn.instants].toSorted((a, b) => a - b));
  equal(envelope({ instants, values }, 500).instants, instants);
});
