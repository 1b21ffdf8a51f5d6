// A curve with no more points than a screen has: of each pixel's values the first, the least, the
// greatest, the last and the worst. What is drawn is the same; gaps stay gaps.
import { flags, placeAt, type Samples } from "./samples.ts";
import type { Span } from "../frame/span.ts";

/** What is drawn of samples: a span on some pixels; values farther apart than `gap_ms` part. */
type View = Span & { readonly pixels: number; readonly gap_ms: number };

/** The points to draw, in the order of time; a point of NaN parts the curve. */
export function thin(samples: Samples, { from_ms, to_ms, pixels, gap_ms }: View): Samples {
  const { instants } = samples;
  // One more on each side: the curve comes from there.
  const first = Math.max(0, placeAt(instants, from_ms) - 1);
  const end = Math.min(instants.length, placeAt(instants, to_ms) + 1);
  const isFew = end - first <= 2 * pixels;
  const places = placesOf(samples, { first, end, gap_ms }, isFew ? 0 : (to_ms - from_ms) / pixels);
  return takenAt(samples, places);
}

/** The samples at some places; in loops, for this is done anew while a hand moves the span. */
function takenAt(
  { instants, values, flags: flag_of }: Samples,
  places: readonly number[],
): Samples {
  const taken = {
    instants: new Float64Array(places.length),
    values: new Float64Array(places.length),
    flags: new Uint8Array(places.length),
  };
  for (let i = 0; i < places.length; i++) {
    const it = places[i];
    const is_gap = it === gap;
    taken.instants[i] = is_gap
      ? (instants[places[i - 1]] + instants[places[i + 1]]) / 2
      : instants[it];
    taken.values[i] = is_gap ? NaN : values[it];
    taken.flags[i] = is_gap ? flags.good : flag_of[it];
  }
  return taken;
}

/** What stands for a gap among places. */
const gap = -1;

type Range = { readonly first: number; readonly end: number; readonly gap_ms: number };

/** The places that each pixel shows, or all of them where pixels have no width. */
function placesOf(samples: Samples, { first, end, gap_ms }: Range, width_ms: number): number[] {
  const { instants } = samples;
  const places: number[] = [];
  const add = (it: number) => {
    if (it !== places[places.length - 1]) places.push(it);
  };
  for (let start = first, next = first; start < end; start = next) {
    // A gap that is narrower than a pixel is not seen.
    const apart_ms = start > first ? instants[start] - instants[start - 1] : 0;
    if (apart_ms > Math.max(gap_ms, width_ms)) places.push(gap);
    const edge_ms = (Math.floor(instants[start] / width_ms) + 1) * width_ms;
    next = width_ms > 0 ? Math.min(end, edgeOf(instants, start, edge_ms)) : start + 1;
    seenOf(samples, start, next).forEach(add);
  }
  return places;
}

/** The first place after `start` that is not before `edge_ms`, found from near to far. */
function edgeOf(instants: Float64Array, start: number, edge_ms: number): number {
  let step = 1;
  while (instants[start + step] < edge_ms) step *= 2;
  const low = start + (step >> 1) + 1;
  return low + placeAt(instants.subarray(low, start + step + 1), edge_ms);
}

/** What of samples `start` to `end` is to be seen: first, least, greatest, worst and last. */
function seenOf(samples: Samples, start: number, end: number): readonly number[] {
  const { values, flags: flag_of } = samples;
  let [least, greatest, worst] = [start, start, start];
  const chunks = end - start > 2 * chunk ? chunksOf(samples) : undefined;
  for (let i = start; i < end;) {
    const at = chunks && i % chunk === 0 && i + chunk <= end ? i / chunk : -1;
    const low = at < 0 ? i : chunks!.least[at];
    const high = at < 0 ? i : chunks!.greatest[at];
    const bad = at < 0 ? i : chunks!.worst[at];
    if (values[low] < values[least] || Number.isNaN(values[least])) least = low;
    if (values[high] > values[greatest] || Number.isNaN(values[greatest])) greatest = high;
    if (flag_of[bad] > flag_of[worst]) worst = bad;
    i += at < 0 ? 1 : chunk;
  }
  return [start, least, greatest, worst, end - 1].sort((a, b) => a - b);
}

/** How many samples a chunk has. */
const chunk = 64;

type Chunks = Readonly<Record<"least" | "greatest" | "worst", Int32Array>>;

/** What is to be seen of whole chunks, kept as long as their samples are. */
const seen = new WeakMap<Float64Array, Chunks>();

function chunksOf(samples: Samples): Chunks {
  const known = seen.get(samples.values);
  if (known) return known;
  const count = Math.floor(samples.values.length / chunk);
  const column = () => new Int32Array(count);
  const chunks = { least: column(), greatest: column(), worst: column() };
  for (let at = 0; at < count; at++) {
    const [least, greatest, worst] = extremesOf(samples, at * chunk);
    chunks.least[at] = least;
    chunks.greatest[at] = greatest;
    chunks.worst[at] = worst;
  }
  seen.set(samples.values, chunks);
  return chunks;
}

function extremesOf({ values, flags: flag_of }: Samples, start: number) {
  let [least, greatest, worst] = [start, start, start];
  let [low, high] = [Infinity, -Infinity];
  for (let i = start; i < start + chunk; i++) {
    if (values[i] < low) [low, least] = [values[i], i];
    if (values[i] > high) [high, greatest] = [values[i], i];
    if (flag_of[i] > flag_of[worst]) worst = i;
  }
  return [least, greatest, worst] as const;
}

/** A column of a drawing: no value null, no instant of the curve undefined. */
export type Column = readonly (number | null | undefined)[];

/** What is drawn of a curve: as measured, as carried, alone, and where it is uncertain or bad. */
export type Layers = Readonly<Record<"line" | "carried" | "lone" | "uncertain" | "bad", Column>>;

/** Curves over the instants of all of them. */
export function aligned(
  curves: readonly Samples[],
): { readonly instants: Float64Array; readonly layers: readonly Layers[] } {
  const instants = unionOf(curves.map((curve) => curve.instants));
  return { instants, layers: curves.map((curve) => layersOf(curve, instants)) };
}

function unionOf(lists: readonly Float64Array[]): Float64Array {
  const first = lists[0] ?? new Float64Array(0);
  const isSame = (list: Float64Array) =>
    list.length === first.length && list.every((it, i) => it === first[i]);
  if (lists.every((list) => list === first || isSame(list))) return first;
  const all = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  all.sort();
  return all.filter((it, i) => i === 0 || it !== all[i - 1]);
}

function layersOf({ instants, values, flags: of }: Samples, all: Float64Array): Layers {
  const column = () => new Array<number | null | undefined>(all.length).fill(undefined);
  const [line, carried, lone, uncertain, bad] = Array.from({ length: 5 }, column);
  let held: number | null = null;
  for (let i = 0, at = 0; i < instants.length; i++) {
    while (all[at] < instants[i]) at++;
    const value = Number.isNaN(values[i]) ? null : values[i];
    const isCarried = (place: number) => of[place] === flags.carried;
    const isNone = (place: number) => Number.isNaN(values[place] ?? NaN);
    line[at] = isCarried(i) ? null : value;
    carried[at] = isCarried(i - 1) || isCarried(i) || isCarried(i + 1) ? value : null;
    // A line of one point is none.
    if (isNone(i - 1) && isNone(i + 1)) lone[at] = value;
    if (of[i] === flags.uncertain) uncertain[at] = value;
    if (of[i] === flags.bad) bad[at] = held ?? values.find((it) => !Number.isNaN(it)) ?? 0;
    held = value ?? held;
  }
  [line, carried].forEach(widenGaps);
  return { line, carried, lone, uncertain, bad };
}

/** No value lasts from the value before it to the next one, whatever other curves have between. */
function widenGaps(column: (number | null | undefined)[]): void {
  for (const step of [1, -1]) {
    const start = step > 0 ? 0 : column.length - 1;
    for (let i = start, isGap = false; i >= 0 && i < column.length; i += step) {
      if (column[i] !== undefined) isGap = column[i] === null;
      else if (isGap) column[i] = null;
    }
  }
}
