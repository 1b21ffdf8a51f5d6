// Lays the demo's values, point by step, out as batches ready for ingest.
import { noneValid, setValid } from "../../model/data/chunk.ts";
import type { SampleBatch } from "../../model/samples/sample.ts";
import type { Point } from "./point.ts";

/** The qualities of a sample; `not_sent` marks a step without one. */
export const quality = { good: 0, uncertain: 1, bad: 2, not_sent: 255 } as const;

/** OPC UA status codes by quality: Good, UncertainSubstituteValue, BadSensorFailure. */
const status_codes = [0, 0x40910000, 0x808c0000];

/** Values of some steps, [point × step], with the quality of each. */
export type Grid = {
  readonly steps: number;
  /** Seconds since 1970 UTC. */
  readonly at_s: Float64Array;
  readonly value: Float64Array;
  readonly quality: Uint8Array;
};

/** One sample by itself: of point number `point`. */
export type Lone = {
  readonly point: number;
  readonly at_s: number;
  readonly value: number;
  readonly quality: number;
};

/** A grid in which nothing was sent yet. */
export function newGrid(points: number, steps: number): Grid {
  return {
    steps,
    at_s: new Float64Array(steps),
    value: new Float64Array(points * steps),
    quality: new Uint8Array(points * steps).fill(quality.not_sent),
  };
}

/** One batch: the grid's samples tag by tag, then the lone ones. */
export function batchOf(
  points: readonly Point[],
  grid: Grid,
  lone: readonly Lone[],
): SampleBatch {
  const sent = grid.quality.reduce((n, it) => n + (it === quality.not_sent ? 0 : 1), 0);
  const batch = emptyBatch(points, lone.length + sent);
  let row = 0;
  for (let tag = 0, at = 0; tag < points.length; tag++) {
    for (let step = 0; step < grid.steps; step++, at++) {
      if (grid.quality[at] === quality.not_sent) continue;
      const sample = { value: grid.value[at], quality: grid.quality[at], at_s: grid.at_s[step] };
      put(batch, row++, { point: points[tag], tag, ...sample });
    }
  }
  for (const it of lone) put(batch, row++, { ...it, point: points[it.point], tag: it.point });
  return batch;
}

type Draft = SampleBatch & { readonly value_str: Map<number, string>; readonly low: Uint32Array };

function emptyBatch(points: readonly Point[], rows: number): Draft {
  const ts = new BigInt64Array(rows);
  return {
    lane: "signal",
    rows,
    tags: points.map((point) => point.tag),
    tag: new Int32Array(rows),
    ts,
    low: new Uint32Array(ts.buffer),
    value: new Float64Array(rows).fill(NaN),
    value_int: new BigInt64Array(rows),
    int_valid: noneValid(rows),
    value_str: new Map(),
    quality: new Uint8Array(rows),
    status_code: new Uint32Array(rows),
    status_valid: noneValid(rows).fill(255),
    line: Int32Array.from({ length: rows }, (_, i) => i + 1),
  };
}

type Cell = Omit<Lone, "point"> & { readonly point: Point; readonly tag: number };

function put(batch: Draft, row: number, { point, tag, at_s, value, quality }: Cell): void {
  batch.tag[row] = tag;
  // Two halves of the Int64: no BigInt is made for each row.
  const us = at_s * 1_000_000;
  batch.low[2 * row] = us % 2 ** 32;
  batch.low[2 * row + 1] = us / 2 ** 32;
  batch.quality[row] = quality;
  batch.status_code[row] = status_codes[quality];
  if (quality === 2) return;
  if (point.encoding === "float") batch.value[row] = value;
  else if (point.encoding === "string") batch.value_str.set(row, point.words![value]);
  else {
    batch.value_int[row] = BigInt(value);
    setValid(batch.int_valid, row);
  }
}
