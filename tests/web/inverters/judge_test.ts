// Grids of inverters by buckets: medians of peers, cuts at the moment, and what is abnormal.
import { deepEqual, equal, ok } from "node:assert/strict";
import type { Rows } from "../../../src/web/frame/api.ts";
import type { Device } from "../../../src/web/frame/plant.ts";
import { gridOf, medianOfOthers, peerGroups } from "../../../src/web/inverters/cells.ts";
import {
  measureCodes,
  outageCells,
  power_columns,
  powerCells,
  shortfallCodes,
  sumCells,
} from "../../../src/web/inverters/judge.ts";
import { heat_codes, heat_levels } from "../../../src/web/parts/heat_paint.ts";

const minute = 60_000;
const begin = Date.parse("2026-06-01T12:00Z");

function device(n: number, block_id: string | null = "b1"): Device {
  return {
    device_id: `d${n}`,
    key: `inv-${n}`,
    name: `Inverter ${n}`,
    type: "inverter",
    site_id: "s",
    parent_id: null,
    block_id,
    rated_w: 1000,
    rated_dc_w: null,
    capacity_wh: null,
    hierarchy_id: `h${n}`,
    sensors: [{
      hierarchy_id: `h${n}`,
      sensor_tag: `inv-${n}.p`,
      component: "inverter",
      component_measure: "active_power",
      unit: "W",
      source_unit: "W",
      tag_class: null,
      value_encoding: "float",
    }],
  };
}

type Row = { readonly id: string; readonly bucket: number } & Record<string, number | string>;

function rowsOf(list: readonly Row[]): Rows {
  return {
    length: list.length,
    numbers: (name) =>
      Float64Array.from(
        list,
        (row) => name === "ts_utc" ? begin + row.bucket * 15 * minute : Number(row[name] ?? NaN),
      ),
    texts: () => list.map(({ id }) => id),
  };
}

/** Four inverters of a block in one quarter-hour, with what each makes of 800 W expected. */
function quarterOf(made: readonly number[], out: readonly number[] = []) {
  const devices = made.map((_, i) => device(i));
  const rows = rowsOf(made.map((it, i) => ({
    id: `h${i}`,
    bucket: 0,
    sensor_value: it,
    sensor_value_matched: it,
    model_value_matched: 800,
    performance_index_setpoint_matched: it / 800,
    coverage: 1,
  })));
  const grid = gridOf(rows, {
    devices,
    names: power_columns,
    is_sum: true,
    until_ms: begin + 60 * minute,
    is_replay: false,
    endOf: (at) => at + 15 * minute,
  });
  const is_out = Uint8Array.from(made, (_, i) => Number(out.includes(i)));
  const cells = powerCells(grid, {
    rated: made.map(() => 1000),
    groups: peerGroups(devices),
    is_out,
    has_outage: is_out,
    hours: Float64Array.of(0.25),
  });
  return { grid, cells, codes: shortfallCodes(grid, cells, "shortfall") };
}

function lookOf(code: number): string {
  if (code >= heat_codes.own && code < heat_codes.own + heat_levels) {
    return "own";
  }
  if (code >= heat_codes.shared && code < heat_codes.own) return "shared";
  return Object.entries(heat_codes).find(([, it]) => it === code)![0];
}

Deno.test("a median of the others leaves out the row itself and what is skipped", () => {
  const values = Float64Array.of(1, 2, 3, 10);
  const groups = [[0, 1, 2, 3]];
  deepEqual([...medianOfOthers({ values, columns: 1 }, groups)], [3, 3, 2, 2]);
  const skip = Uint8Array.of(0, 0, 0, 1);
  deepEqual([...medianOfOthers({ values, columns: 1, skip }, groups)], [2.5, 2, 1.5, 2]);
  const lone = Float64Array.of(NaN, 5, NaN, NaN);
  deepEqual([...medianOfOthers({ values: lone, columns: 1 }, groups)], [5, NaN, 5, 5]);
});

Deno.test("a block of four is compared within itself, smaller ones with the others", () => {
  const devices = [0, 1, 2, 3].map((n) => device(n)).concat(
    [4, 5].map((n) => device(n, "b2")),
    [6, 7].map((n) => device(n, "b3")),
  );
  deepEqual(peerGroups(devices), [[0, 1, 2, 3], [4, 5, 6, 7]]);
  deepEqual(peerGroups(devices.slice(0, 5)), [[0, 1, 2, 3], [0, 1, 2, 3, 4]]);
});

Deno.test("a replay shows no bucket that is not over, now shows the one that goes on", () => {
  const rows = rowsOf([0, 1, 2].map((bucket) => ({ id: "h0", bucket, v: bucket + 1 })));
  const common = {
    devices: [device(0)],
    names: ["v"],
    is_sum: true,
    until_ms: begin + 20 * minute,
    endOf: (at: number) => at + 15 * minute,
  };
  const then = gridOf(rows, { ...common, is_replay: true });
  equal(then.known, 1);
  deepEqual([...then.columns.v], [1, NaN, NaN]);
  deepEqual([...gridOf(rows, { ...common, is_replay: false }).columns.v], [1, 2, NaN]);
});

Deno.test("a cloud over a block is grey, one inverter behind the others is coloured", () => {
  deepEqual([...quarterOf([400, 410, 390, 400]).codes].map(lookOf), Array(4).fill("shared"));
  const { codes } = quarterOf([790, 400, 780, 800]);
  deepEqual([...codes].map(lookOf), ["fine", "own", "fine", "fine"]);
});

Deno.test("a block that is out is dark, not grey; what was not measured is missing", () => {
  deepEqual([...quarterOf([0, 0, 0, 0], [0, 1, 2]).codes].map(lookOf), [
    "outage",
    "outage",
    "outage",
    "own",
  ]);
  equal(lookOf(quarterOf([NaN, 800, 800, 800]).codes[0]), "missing");
});

Deno.test("what is lost is expected less made, over the time that was measured", () => {
  const { cells } = quarterOf([790, 400, 780, 800]);
  const sum = sumCells(cells, { row: 1, count: 1, first: 0, end: 1 });
  equal(sum.lost_wh, 100);
  equal(sum.shortfall, 0.5);
  ok(Math.abs(sum.against_peers - (1 - 400 / 790)) < 1e-12);
});

Deno.test("with less than three hundredths of the rating nothing is told", () => {
  const { grid, cells } = quarterOf([10, 10, 10, 10]);
  const dark = { ...cells, is_dark: new Uint8Array(4).fill(1) };
  deepEqual([...shortfallCodes(grid, dark, "shortfall")].map(lookOf), Array(4).fill("quiet"));
});

Deno.test("an outage of half a bucket makes it one, any part of one is known", () => {
  const { grid } = quarterOf([800, 800, 800, 800]);
  const span = (row: number, minutes: number) => ({
    row,
    from_ms: begin,
    to_ms: begin + minutes * minute,
  });
  const { is_out, has_outage } = outageCells(grid, [span(0, 8), span(1, 7), span(2, 99)]);
  deepEqual([...is_out], [1, 0, 1, 0]);
  deepEqual([...has_outage], [1, 1, 1, 0]);
});

Deno.test("a temperature is abnormal only above its peers, another measure on both sides", () => {
  const { grid } = quarterOf([800, 800, 800, 800]);
  const looks = (unit: string, own: readonly number[]) =>
    [
      ...measureCodes(grid, {
        values: Float64Array.from(own),
        peers: new Float64Array(4).fill(40),
        is_out: new Uint8Array(4),
        unit,
      }),
    ].map(lookOf);
  deepEqual(looks("degC", [40, 20, 42, 55]), ["fine", "fine", "fine", "own"]);
  deepEqual(looks("V", [40, 20, 41, 60]), ["fine", "own", "fine", "own"]);
  deepEqual(looks("code", [40, 41, 40, 40]), ["fine", "own", "fine", "fine"]);
});

Deno.test("500 inverters by minute have a median each", () => {
  const devices = Array.from({ length: 500 }, (_, n) => device(n, `b${n % 20}`));
  const values = Float64Array.from({ length: 500 * 1440 }, (_, i) => (i * 7919) % 1000);
  const medians = medianOfOthers({ values, columns: 1440 }, peerGroups(devices));
  equal(medians.length, values.length);
  ok(medians.every((it) => it >= 0 && it < 1000));
});
