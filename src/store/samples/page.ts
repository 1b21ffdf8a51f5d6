// What a page of signal rows is, and its order, in which entries that were read in none are put.
import { assert } from "../../base/assert.ts";
import { type Chunk, halvesOf, int64At, takeRows, type Vector } from "../../model/data/chunk.ts";
import { type Resolution, resolutions } from "../../model/samples/signal.ts";
import type { MinuteSpan } from "../../model/time/zone.ts";

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
  /** Of its range the minutes that may not be stored, but told by samples: all, if left out. */
  readonly wholes?: MinuteSpan;
  /** Sample times, `[from_us, to_us)`. */
  readonly from_us: number;
  readonly to_us: number;
  readonly limit: number;
  readonly offset: number;
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

/** Up to where entries are read: before a stamp, of the last one before it up to a time. */
export type PageEnd = { readonly until_us: number; readonly upto_us: number };

/** Entries by column. */
type Found = Chunk & { readonly names: readonly EntryPart[] };

/**
 * Row i is of entry `entry[i]`, and shows it on line `line[i]`. There is no list of entries where
 * each has one row: row i is of entry i.
 */
type Rows = { readonly entry: Places | undefined; readonly line: Places };

/** Whole numbers from 0 on. */
type Places = Uint32Array<ArrayBuffer>;

/** With where the page behind it ends, where that was read, too. */
export type OrderedPage = SignalPage & { readonly next_end?: PageEnd };

/**
 * The first rows of some entries, as many as a selection takes: by ts, line, resolution; after a
 * watermark by received_at before these, and only those behind it. No entry was stored before it.
 */
export function orderedPage(
  { names, rows: count, vectors }: Found,
  { tag_nos, parts, limit, resolution }: SignalSelection,
  watermark?: SignalWatermark,
): OrderedPage {
  if (count === 0) return { rows: 0, parts: {} };
  const part = (name: EntryPart) => vectors[names.indexOf(name)];
  const rows = rowsOf(wholesOf(part("tag_no")), tag_nos);
  const { entry, line } = rows;
  const byRow = (key: Key): Key => entry ? { ...key, codes: taken(key.codes, entry) } : key;
  const times = timesOf(part("ts"));
  const stamps = watermark && timesOf(part("received_at"));
  const keys = keysOfMoments(times, stamps).map(byRow);
  keys.push({ codes: line, size: tag_nos.length });
  if (resolution === undefined) {
    const { buffer, byteOffset, length } = wholesOf(part("resolution"));
    const codes = new Uint32Array(buffer, byteOffset, length);
    keys.push(byRow({ codes, size: resolutions.length }));
  }
  const order = orderOf(keys, line.length);
  const first = stamps ? rowsBefore(watermark!, { rows, order, stamps, times }) : 0;
  const shown = order.subarray(first, first + limit);
  const entries = entriesOf(shown, rows);
  const shownOf = (name: SignalPart) =>
    name === "line"
      ? takeRows({ kind: "int32", values: new Int32Array(line.buffer) }, shown)
      : takeRows(part(name), entries);
  const [next] = entriesOf(order.subarray(first + 2 * limit - 1, first + 2 * limit), rows);
  return {
    rows: shown.length,
    parts: Object.fromEntries(parts.map((name) => [name, shownOf(name)])),
    next_end: stamps && next !== undefined
      ? { until_us: int64At(stamps, next) + 1, upto_us: int64At(times, next) }
      : undefined,
  };
}

function entriesOf(places: Places, { entry }: Rows): Places {
  return entry ? taken(entry, places) : places;
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
  if (next.every((no) => no < 0)) {
    const line = onlyLines(tag_no, { first, least });
    if (line) return { entry: undefined, line };
  }
  let rows = 0;
  for (let i = 0, { length } = tag_no; i < length; i++) {
    for (let no = first[tag_no[i] - least]; no >= 0; no = next[no]) rows++;
  }
  const [entry, line] = [new Uint32Array(rows), new Uint32Array(rows)];
  for (let i = 0, row = 0, { length } = tag_no; i < length; i++) {
    for (let no = first[tag_no[i] - least]; no >= 0; no = next[no], row++) {
      entry[row] = i;
      line[row] = no;
    }
  }
  return { entry, line };
}

/** The line of each entry, where a tag has one at most; undefined where an entry has none. */
function onlyLines(
  tag_no: Int32Array,
  { first, least }: { readonly first: Int32Array; readonly least: number },
): Places | undefined {
  const line = new Uint32Array(tag_no.length);
  for (let i = 0, { length } = line; i < length; i++) {
    const no = first[tag_no[i] - least];
    if (!(no >= 0)) return undefined;
    line[i] = no;
  }
  return line;
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

/** How many of the first rows in order are not behind a watermark. */
function rowsBefore(
  { since_us, after_us, after_line }: SignalWatermark,
  { rows, order, stamps, times }: {
    readonly rows: Rows;
    readonly order: Places;
    readonly stamps: Int32Array;
    readonly times: Int32Array;
  },
): number {
  const at = order.findIndex((row) => {
    const i = rows.entry ? rows.entry[row] : row;
    const ts = int64At(times, i);
    return int64At(stamps, i) > since_us || ts > after_us ||
      (ts === after_us && rows.line[row] >= after_line);
  });
  return at < 0 ? order.length : at;
}

const word = 2 ** 32;

/** Times in microseconds as pairs of words. */
function timesOf(times: Vector): Int32Array {
  assert(times.kind === "int64", "instants are 64-bit");
  return halvesOf(times.values);
}

function wholesOf(vector: Vector): Int32Array {
  assert(vector.kind === "int32", "a 32-bit column");
  return vector.values;
}

/** The numbers at some places. */
function taken(numbers: Uint32Array, places: Uint32Array): Places {
  const result = new Uint32Array(places.length);
  for (let i = 0, { length } = places; i < length; i++) result[i] = numbers[places[i]];
  return result;
}

/** What rows are ordered by: a whole number of each, from 0 up to `size`, which is none. */
export type Key = { readonly codes: Uint32Array; readonly size: number };

/** So many different moments at most are told by their place among them. */
const most_moments = 4096;

/** The most bits that a pass looks at: its counters stay in the processor's cache. */
const digit_bits = 11;

/** Rows are put at their whole key, or counted by it, where no more keys are than so many a row. */
const keys_per_row = 8;

/** The places of some rows in the order of their keys; the first key comes before the others. */
export function orderOf(keys: readonly Key[], rows: number): Places {
  const joined = joinedKeys(keys);
  if (joined.length === 1) {
    const [{ codes, size }] = joined;
    if (isRising(codes)) return asTheyAre(rows);
    const order = size <= keys_per_row * rows ? spread(joined[0]) : undefined;
    if (order) return order;
  }
  // A stable sort by each key, the last of them first.
  return joined.toReversed().reduce(sorted, asTheyAre(rows));
}

function asTheyAre(rows: number): Places {
  const order = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) order[row] = row;
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
  for (let row = 0, { length } = both; row < length; row++) {
    both[row] = Math.imul(before.codes[row], size) + codes[row];
  }
  return { codes: both, size: before.size * size };
}

function isRising(codes: Uint32Array): boolean {
  for (let row = 1, { length } = codes; row < length; row++) {
    if (codes[row] < codes[row - 1]) return false;
  }
  return true;
}

/** The order of rows no two of which have the same key; undefined where some have. */
function spread({ codes, size }: Key): Places | undefined {
  // By key the number of its row, from 1 on.
  const numbers = new Uint32Array(size);
  for (let row = 0, { length } = codes; row < length; row++) numbers[codes[row]] = row + 1;
  const order = new Uint32Array(codes.length);
  let count = 0;
  for (let code = 0; code < size; code++) {
    if (numbers[code] !== 0) order[count++] = numbers[code] - 1;
  }
  return count === order.length ? order : undefined;
}

/** An order sorted by a key; what has the same stays as it is to each other. */
function sorted(order: Places, key: Key): Places {
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
  order: Places,
  { codes }: Key,
  { bits, shift }: { readonly bits: number; readonly shift: number },
): Places {
  const mask = 2 ** bits - 1;
  const starts = new Uint32Array(2 ** bits + 1);
  for (let i = 0, { length } = codes; i < length; i++) starts[(codes[i] >>> shift & mask) + 1]++;
  for (let digit = 1; digit < starts.length; digit++) starts[digit] += starts[digit - 1];
  const result = new Uint32Array(order.length);
  for (let i = 0, { length } = order; i < length; i++) {
    const row = order[i];
    result[starts[codes[row] >>> shift & mask]++] = row;
  }
  return result;
}

/**
 * Keys of moments: of times alone, or of stamps and times. These are whole numbers of microseconds,
 * as pairs of words. A key has the moment's place among the different ones, which are few in most
 * pages; else stamps and times have keys of their own, or how long they are after the first of
 * them, in two words.
 */
export function keysOfMoments(times: Int32Array, stamps = times): readonly Key[] {
  const places = risingPlaces(times, stamps) ?? placesOf(times, stamps);
  if (places) return [places];
  return stamps === times ? wordsOf(times) : [stamps, times].flatMap((all) => keysOfMoments(all));
}

/** The place of each moment among the different ones, of those that only rise; else undefined. */
function risingPlaces(times: Int32Array, stamps: Int32Array): Key | undefined {
  const codes = new Uint32Array(times.length / 2);
  let code = 0;
  for (let row = 1, { length } = codes; row < length; row++) {
    if (!isSame(stamps, row, row - 1) || !isSame(times, row, row - 1)) {
      const since_us = int64At(stamps, row) - int64At(stamps, row - 1);
      if (since_us < 0) return undefined;
      if (since_us === 0 && int64At(times, row) < int64At(times, row - 1)) return undefined;
      code++;
    }
    codes[row] = code;
  }
  return { codes, size: code + 1 };
}

/** Whether two rows have the same time. */
function isSame(times: Int32Array, a: number, b: number): boolean {
  return times[2 * a] === times[2 * b] && times[2 * a + 1] === times[2 * b + 1];
}

/** The same of moments in any order; undefined where the different ones are too many. */
function placesOf(times: Int32Array, stamps: Int32Array): Key | undefined {
  // A row of each.
  const known: number[] = [];
  const codes = new Uint32Array(times.length / 2);
  // Numbers of moments, from 1 on, by a hash; 0 is free.
  const slots = new Uint16Array(2 * most_moments);
  let code = 0;
  for (let row = 0, { length } = codes; row < length; row++) {
    if (row === 0 || !isSame(times, row, row - 1) || !isSame(stamps, row, row - 1)) {
      let slot = slotOf(stamps[2 * row], times[2 * row]);
      for (; slots[slot] !== 0; slot = (slot + 1) % slots.length) {
        const other = known[slots[slot] - 1];
        if (isSame(times, row, other) && isSame(stamps, row, other)) break;
      }
      if (slots[slot] === 0) {
        if (known.length === most_moments) return undefined;
        slots[slot] = known.push(row);
      }
      code = slots[slot] - 1;
    }
    codes[row] = code;
  }
  const compare = (a: number, b: number) =>
    int64At(stamps, a) - int64At(stamps, b) || int64At(times, a) - int64At(times, b);
  const size = Math.max(1, known.length);
  if (known.every((row, i) => i === 0 || compare(known[i - 1], row) < 0)) return { codes, size };
  const places = new Uint32Array(known.length);
  Array.from(known, (_, code) => code).sort((a, b) => compare(known[a], known[b]))
    .forEach((code, place) => places[code] = place);
  return { codes: taken(places, codes), size };
}

/** A slot for a moment, by the high bits of products (Knuth, TAOCP 6.4): those that are mixed. */
function slotOf(stamp: number, time: number): number {
  return Math.imul(Math.imul(stamp, golden) ^ time, golden) >>> slot_shift;
}

const golden = 0x9e3779b1;
const slot_shift = 32 - Math.log2(2 * most_moments);

/** How long after the first of them times are: the high words, then the low ones. */
function wordsOf(times: Int32Array): readonly Key[] {
  const rows = times.length / 2;
  let first_us = Infinity;
  for (let row = 0; row < rows; row++) first_us = Math.min(first_us, int64At(times, row));
  const [high, low] = [new Uint32Array(rows), new Uint32Array(rows)];
  let highest = 0;
  for (let row = 0; row < rows; row++) {
    const since_us = int64At(times, row) - first_us;
    high[row] = since_us / word;
    low[row] = since_us - high[row] * word;
    if (high[row] > highest) highest = high[row];
  }
  return [{ codes: high, size: highest + 1 }, { codes: low, size: word }];
}
