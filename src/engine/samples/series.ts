// Reads the samples of tags into their statistics, in portions of time that memory holds.
import { assert } from "../../base/assert.ts";
import { type Chunk, isValid, numbersOf } from "../../model/data/chunk.ts";
import { statistics_limits } from "../../model/statistics/limits.ts";
import type { SeriesStatistics } from "../../model/statistics/series.ts";
import type { Tag } from "../../model/plant/plant.ts";
import { minute_us } from "../../model/time/series.ts";
import type { Connection } from "../../store/connection.ts";
import { lastStates, readSeries } from "../../store/samples/series.ts";

/** The statistics that a tag's samples go to. */
export type TagSeries = { readonly tag: Tag; readonly series: SeriesStatistics };

/** Times that statistics are asked for, `[from_us, to_us)`. */
type SeriesSpan = { readonly from_us: number; readonly to_us: number };

const day_us = 86_400_000_000;

/** Whether a tag's values are states, which hold until the next: integers, booleans, strings. */
export function isState({ encoding }: Tag): boolean {
  return encoding === "integer" || encoding === "string";
}

/** How long a sample of a tag speaks for: its minute at least. */
export function holdOf({ carry_s }: Tag): number {
  return Math.max(carry_s * 1_000_000, minute_us);
}

/** How far around a time the samples of some tags can reach into it. */
export function longestReach(tags: readonly Tag[]): number {
  return Math.max(statistics_limits.bridge_s * 1_000_000, ...tags.map(holdOf));
}

/** Adds the samples of a span, and those around it that reach into it. */
export async function addSeries(
  connection: Connection,
  all: readonly TagSeries[],
  { from_us, to_us }: SeriesSpan,
): Promise<void> {
  if (all.length === 0) return;
  const by_tag = Map.groupBy(all, ({ tag }) => tag.tag_no);
  const tags = Int32Array.from(by_tag.keys()).sort();
  const reach_us = longestReach(all.map(({ tag }) => tag));
  const start_us = Math.max(0, from_us - reach_us);
  await beginStates(connection, all, start_us);
  const step_us = Math.ceil(statistics_limits.days_per_read * day_us / tags.length);
  for (let at_us = start_us; at_us <= to_us + reach_us; at_us += step_us) {
    const range = { tags, from_us: at_us, to_us: Math.min(at_us + step_us, to_us + reach_us + 1) };
    for (const chunk of await readSeries(connection, range)) addChunk(chunk, by_tag);
  }
  for (const { series } of all) series.finish();
}

/** States begin as they last were, if that is not long ago. */
async function beginStates(
  connection: Connection,
  all: readonly TagSeries[],
  to_us: number,
): Promise<void> {
  const states = all.filter(({ tag }) => isState(tag));
  if (states.length === 0) return;
  const tags = Int32Array.from(new Set(states.map(({ tag }) => tag.tag_no)));
  const from_us = Math.max(0, to_us - statistics_limits.state_look_s * 1_000_000);
  const last = await lastStates(connection, { tags, from_us, to_us });
  for (const { tag, series } of states) {
    const state = last.get(tag.tag_no);
    if (state !== undefined) series.begin(state);
  }
}

function addChunk(
  { rows, vectors: [tag_no, ts, number, state, quality] }: Chunk,
  by_tag: ReadonlyMap<number, readonly TagSeries[]>,
): void {
  assert(tag_no.kind === "int32" && quality.kind === "int32", "32-bit columns");
  assert(ts.kind === "int64" && state.kind === "int64", "64-bit columns");
  const values = numbersOf(number);
  let targets: readonly TagSeries[] = [];
  for (let i = 0; i < rows; i++) {
    if (i === 0 || tag_no.values[i] !== tag_no.values[i - 1]) {
      targets = by_tag.get(tag_no.values[i])!;
    }
    const sample = {
      ts_us: Number(ts.values[i]),
      quality: quality.values[i],
      value: values[i],
      state: isValid(state.valid, i) ? state.values[i] : undefined,
    };
    for (const { series } of targets) series.add(sample);
  }
}
