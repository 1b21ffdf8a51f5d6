// What a page of signal rows is, and its order, in which entries that were read in none are put.
import { assert } from "../../base/assert.ts";
import { type Chunk, takeRows, type Vector } from "../../model/data/chunk.ts";
import { type Resolution, resolutions } from "../../model/samples/signal.ts";

/** The numbers of an entry: a sample or a minute, whichever lines of its tag show it. */
export const entry_row = {
  tag_no: "int32",
  resolution: "int32",
  ts: "instant",
  received_at: "instant",
  value: "float64?",
  value_int: "int64?",
  value_str: "text?",
  quality: "int32?",
  status_code: "uint32?",
  carried: "int32?",
  good_count: "int32?",
  uncertain_count: "int32?",
  bad_count: "int32?",
} as const;
export type EntryPart = keyof typeof entry_row;

/** The columns of a page: those of entries, and the line. */
export type SignalPart = Exclude<EntryPart, "tag_no"> | "line";

/** The columns that were asked for. */
export type SignalParts = Readonly<Partial<Record<SignalPart, Vector>>>;

/** Rows, and those of their columns that were asked for. */
export type SignalPage = { readonly rows: number; readonly parts: SignalParts };

/** Which rows: those of some lines, a line being a tag in a lane, in the order of their number. */
export type SignalSelection = {
  /** Line i shows tag `tag_nos[i]`. */
  readonly tag_nos: readonly number[];
  /** Undefined for both. */
  readonly resolution: Resolution | undefined;
  /** False where all minutes of its range are stored, so that none need be looked for elsewhere. */
  readonly has_wholes?: boolean;
  /** Sample times, `[from_us, to_us)`. */
  readonly from_us: number;
  readonly to_us: number;
  readonly limit: number;
  readonly offset: number;
  /** The columns to read. */
  readonly parts: readonly SignalPart[];
};

/** Where a replay goes on: rows stored in `[since_us, until_us)`, after one of them. */
export type SignalWatermark = {
  readonly since_us: number;
  readonly until_us: number;
  /** Of the rows stored at `since_us`, those after this time, or at it from `after_line` on. */
  readonly after_us: number;
  readonly after_line: number;
};

/** Entries by column. */
type Found = Chunk & { readonly names: readonly EntryPart[] };

/** Row i is of entry `entry[i]`, and shows it on line `line[i]`. */
type Rows = { readonly entry: Uint32Array; readonly line: Uint32Array };

/**
 * The first rows of some entries, as many as a selection takes: by ts, line, resolution; after a
 * watermark by received_at before these, and only those behind it.
 */
export function orderedPage(
  { names, rows: count, vectors }: Found,
  { tag_nos, parts, limit, resolution }: SignalSelection,
  watermark?: SignalWatermark,
): SignalPage {
  if (count === 0) return { rows: 0, parts: {} };
  const part = (name: EntryPart) => vectors[names.indexOf(name)];
  const all = rowsOf(wholesOf(part("tag_no")), tag_nos);
  const { entry, line } = watermark
    ? rowsBehind(all, { watermark, ts: part("ts"), received_at: part("received_at") })
    : all;
  const keys: Key[] = [
    ...watermark ? keysOfTimes(timesOf(part("received_at"), entry)) : [],
    ...keysOfTimes(timesOf(part("ts"), entry)),
    { codes: line, size: tag_nos.length },
  ];
  if (resolution === undefined) {
    keys.push({ codes: taken(wholesOf(part("resolution")), entry), size: resolutions.length });
  }
  const rows = orderOf(keys, entry.length).subarray(0, limit);
  const entries = taken(entry, rows);
  const shown = parts.map((name): [string, Vector] => [
    name,
    name === "line"
      ? { kind: "int32", values: new Int32Array(taken(line, rows)) }
      : takeRows(part(name), entries),
  ]);
  return { rows: rows.length, parts: Object.fromEntries(shown) };
}

/** A row for each line of an entry's tag. */
function rowsOf(tag_no: Int32Array, tag_nos: readonly number[]): Rows {
  const [least, greatest] = endsOf(tag_nos);
  const first = new Int32Array(greatest - least + 1).fill(-1);
  const next = new Int32Array(tag_nos.length);
  for (let no = tag_nos.length - 1; no >= 0; no--) {
    next[no] = first[tag_nos[no] - least];
    first[tag_nos[no] - least] = no;
  }
  let rows = 0;
  for (let i = 0; i < tag_no.length; i++) {
    for (let no = first[tag_no[i] - least]; no >= 0; no = next[no]) rows++;
  }
  const [entry, line] = [new Uint32Array(rows), new Uint32Array(rows)];
  for (let i = 0, row = 0; i < tag_no.length; i++) {
    for (let no = first[tag_no[i] - least]; no >= 0; no = next[no], row++) {
      entry[row] = i;
      line[row] = no;
    }
  }
  return { entry, line };
}

/** The least and the greatest of some numbers. */
export function endsOf(numbers: readonly number[]): readonly [least: number, greatest: number] {
  let [least, greatest] = [Infinity, -Infinity];
  for (const number of numbers) {
    if (number < least) least = number;
    if (number > greatest) greatest = number;
  }
  return [least, greatest];
}

/** The rows that a replay goes on with. */
function rowsBehind(
  rows: Rows,
  { watermark: { since_us, after_us, after_line }, ts, received_at }: {
    readonly watermark: SignalWatermark;
    readonly ts: Vector;
    readonly received_at: Vector;
  },
): Rows {
  const { entry, line } = rows;
  const [stamps, times] = [timesOf(received_at, entry), timesOf(ts, entry)];
  const places = new Uint32Array(entry.length);
  let count = 0;
  for (let row = 0; row < entry.length; row++) {
    const is_behind = stamps[row] > since_us || times[row] > after_us ||
      (times[row] === after_us && line[row] >= after_line);
    if (is_behind) places[count++] = row;
  }
  if (count === entry.length) return rows;
  const behind = places.subarray(0, count);
  return { entry: taken(entry, behind), line: taken(line, behind) };
}

const word = 2 ** 32;

/** Times of rows in microseconds. */
function timesOf(times: Vector, entry: Uint32Array): Float64Array {
  assert(times.kind === "int64", "instants are 64-bit");
  const { buffer, byteOffset, length } = times.values;
  const halves = new Int32Array(buffer, byteOffset, 2 * length);
  const us = new Float64Array(entry.length);
  for (let row = 0; row < us.length; row++) {
    const at = 2 * entry[row];
    us[row] = halves[at + 1] * word + (halves[at] >>> 0);
  }
  return us;
}

function wholesOf(vector: Vector): Int32Array {
  assert(vector.kind === "int32", "a 32-bit column");
  return vector.values;
}

/** The numbers at some places. */
function taken(numbers: Int32Array | Uint32Array, places: Uint32Array): Uint32Array {
  const result = new Uint32Array(places.length);
  for (let i = 0; i < places.length; i++) result[i] = numbers[places[i]];
  return result;
}

/** What rows are ordered by: a whole number of each, from 0 up to `size`, which is none. */
export type Key = { readonly codes: Uint32Array; readonly size: number };

/** So many different times at most are told by their place among them. */
const most_times = 4096;

/** The most bits that a pass looks at: its counters stay in the processor's cache. */
const digit_bits = 11;

/** Rows are counted by their whole key where there are no more keys than so many a row. */
const keys_per_row = 4;

/** The places of some rows in the order of their keys; the first key comes before the others. */
export function orderOf(keys: readonly Key[], rows: number): Uint32Array {
  let order = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) order[row] = row;
  const joined = joinedKeys(keys);
  if (joined.length === 1 && isRising(joined[0].codes)) return order;
  // A stable sort by each key, the last of them first.
  for (const key of joined.toReversed()) if (key.size > 1) order = sorted(order, key);
  return order;
}

/** The same order by fewer keys: those that fit into one number are one. */
function joinedKeys(keys: readonly Key[]): readonly Key[] {
  const joined: Key[] = [];
  for (const key of keys) {
    const last = joined.at(-1);
    if (last && last.size * key.size <= word) joined[joined.length - 1] = joinedKey(last, key);
    else joined.push(key);
  }
  return joined;
}

function joinedKey(before: Key, { codes, size }: Key): Key {
  const both = new Uint32Array(codes.length);
  for (let row = 0; row < both.length; row++) both[row] = before.codes[row] * size + codes[row];
  return { codes: both, size: before.size * size };
}

function isRising(codes: Uint32Array): boolean {
  for (let row = 1; row < codes.length; row++) if (codes[row] < codes[row - 1]) return false;
  return true;
}

/** An order sorted by a key; what has the same stays as it is to each other. */
function sorted(order: Uint32Array<ArrayBuffer>, key: Key): Uint32Array<ArrayBuffer> {
  const bits = 32 - Math.clz32(key.size - 1);
  if (key.size <= keys_per_row * order.length) return sortedByDigit(order, key, { bits, shift: 0 });
  const passes = Math.ceil(bits / digit_bits);
  const width = Math.ceil(bits / passes);
  let result = order;
  for (let shift = 0; shift < bits; shift += width) {
    result = sortedByDigit(result, key, { bits: width, shift });
  }
  return result;
}

function sortedByDigit(
  order: Uint32Array<ArrayBuffer>,
  { codes }: Key,
  { bits, shift }: { readonly bits: number; readonly shift: number },
): Uint32Array<ArrayBuffer> {
  const mask = 2 ** bits - 1;
  const starts = new Uint32Array(2 ** bits + 1);
  for (let i = 0; i < codes.length; i++) starts[(codes[i] >>> shift & mask) + 1]++;
  for (let digit = 1; digit < starts.length; digit++) starts[digit] += starts[digit - 1];
  const result = new Uint32Array(order.length);
  for (let i = 0; i < order.length; i++) {
    const row = order[i];
    result[starts[codes[row] >>> shift & mask]++] = row;
  }
  return result;
}

/**
 * Keys of times, whole numbers of microseconds: their places among the different ones, which are
 * few in most pages; else how long they are after the first, in two words.
 */
export function keysOfTimes(us: Float64Array): readonly Key[] {
  const places = risingPlaces(us) ?? placesOf(us);
  return places === undefined ? wordsOf(us) : [places];
}

/** The place of each time among the different ones, of times that only rise; else undefined. */
function risingPlaces(us: Float64Array): Key | undefined {
  const codes = new Uint32Array(us.length);
  for (let row = 1; row < us.length; row++) {
    if (us[row] < us[row - 1]) return undefined;
    codes[row] = codes[row - 1] + (us[row] > us[row - 1] ? 1 : 0);
  }
  return { codes, size: us.length === 0 ? 1 : codes[us.length - 1] + 1 };
}

/** The same of times in any order; undefined where the different ones are too many. */
function placesOf(us: Float64Array): Key | undefined {
  const times: number[] = [];
  const codes = new Uint32Array(us.length);
  // Places of codes by a hash of their time; 0 is free.
  const slots = new Uint16Array(2 * most_times);
  let last_us = NaN;
  let last_code = 0;
  for (let row = 0; row < us.length; row++) {
    const time_us = us[row];
    if (time_us !== last_us) {
      let slot = slotOf(time_us);
      while (slots[slot] !== 0 && times[slots[slot] - 1] !== time_us) {
        slot = (slot + 1) % slots.length;
      }
      if (slots[slot] === 0) {
        if (times.length === most_times) return undefined;
        slots[slot] = times.push(time_us);
      }
      last_us = time_us;
      last_code = slots[slot] - 1;
    }
    codes[row] = last_code;
  }
  const place_of = new Uint32Array(times.length);
  times.map((time_us, code) => ({ time_us, code })).sort((a, b) => a.time_us - b.time_us)
    .forEach(({ code }, place) => place_of[code] = place);
  for (let row = 0; row < codes.length; row++) codes[row] = place_of[codes[row]];
  return { codes, size: Math.max(1, times.length) };
}

/** A slot for a time, by the high bits of a product (Knuth, TAOCP 6.4): those that are mixed. */
function slotOf(time_us: number): number {
  return Math.imul(time_us, 0x9e3779b1) >>> slot_shift;
}

const slot_shift = 32 - Math.log2(2 * most_times);

/** How long after the first of them times are: the high words, then the low ones. */
function wordsOf(us: Float64Array): readonly Key[] {
  let first_us = Infinity;
  for (let row = 0; row < us.length; row++) if (us[row] < first_us) first_us = us[row];
  const [high, low] = [new Uint32Array(us.length), new Uint32Array(us.length)];
  let highest = 0;
  for (let row = 0; row < us.length; row++) {
    const since_us = us[row] - first_us;
    high[row] = since_us / word;
    low[row] = since_us - high[row] * word;
    if (high[row] > highest) highest = high[row];
  }
  return [{ codes: high, size: highest + 1 }, { codes: low, size: word }];
}
