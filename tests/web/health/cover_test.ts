// Coverage by day: which pairs there are, where data begin, what is worst, and what is marked.
import { deepEqual, equal } from "node:assert/strict";
import type { Rows } from "../../../src/web/frame/api.ts";
import type { Device } from "../../../src/web/frame/plant.ts";
import {
  coversOf,
  gradeOf,
  meanOf,
  pairsOf,
  sinceFirst,
  worstFirst,
} from "../../../src/web/health/cover.ts";

const day_ms = 86_400_000;

function rowsOf(rows: readonly (readonly [at: number, id: string, coverage: number])[]): Rows {
  return {
    length: rows.length,
    numbers: (name) => Float64Array.from(rows, ([at, , it]) => name === "ts_utc" ? at : it),
    texts: () => rows.map(([, id]) => id),
  };
}

Deno.test("only what has expected values is covered, inverters first", () => {
  const sensor = (component: string, component_measure: string) => ({
    component,
    component_measure,
  });
  const devices = [
    { sensors: [sensor("met", "ghi"), sensor("meter", "active_power")] },
    { sensors: [sensor("inverter", "energy"), sensor("inverter", "active_power")] },
    { sensors: [sensor("inverter", "active_power"), sensor("inverter", "internal_temp")] },
  ] as unknown as Device[];
  deepEqual(pairsOf(devices).map(({ component, measure }) => `${component} ${measure}`), [
    "inverter active_power",
    "inverter energy",
    "meter active_power",
  ]);
});

Deno.test("each group has its days; one without a row is not known", () => {
  const rows = rowsOf([[0, "a", 1], [0, "b", 0.5], [day_ms, "b", 0.7]]);
  const covers = coversOf(rows, { group: "hierarchy_id", starts: [0, day_ms] });
  deepEqual(covers, [{ id: "a", days: [1, NaN] }, { id: "b", days: [0.5, 0.7] }]);
  equal(meanOf(covers[0].days), 1);
  deepEqual(worstFirst(covers).map(({ id }) => id), ["b", "a"]);
  deepEqual(worstFirst([{ id: "none", days: [NaN] }, covers[0]]).map(({ id }) => id), [
    "a",
    "none",
  ]);
});

Deno.test("days before the first data are not known; a gap after it is none of the daylight", () => {
  const covers = [{ id: "a", days: [0, 0, 0.9, 0] }, { id: "b", days: [0, 0.2, 0, 0] }];
  deepEqual(sinceFirst(covers), [
    { id: "a", days: [NaN, 0, 0.9, 0] },
    { id: "b", days: [NaN, 0.2, 0, 0] },
  ]);
  deepEqual(sinceFirst([{ id: "a", days: [0, 0] }]), [{ id: "a", days: [NaN, NaN] }]);
});

Deno.test("a day is marked below 95 %, and more so below 50 %", () => {
  deepEqual([1, 0.95, 0.949, 0.5, 0.499, 0, NaN].map(gradeOf), [
    ...[undefined, undefined, "less", "less", "little", "little", undefined],
  ]);
});
