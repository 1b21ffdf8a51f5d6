// What a page of signal rows is, and its order, in which entries that were read in none are put.
import { assert } from "../../base/assert.ts";
import { type Chunk, takeRows, type Vector } from "../../model/data/chunk.ts";
import type { Resolution } from "../../model/samples/signal.ts";

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

/** Which rows: those of some lines, a line being a tag in a lane, in the order of their number. */
export type SignalSelection = {
  /** Line i shows tag `tag_nos[i]`. */
  readonly tag_nos: readonly number[];
  /** Undefined for both. */
  readonly resolution: Resolution | undefined;
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
): { readonly rows: number; readonly parts: SignalParts } {
  if (count === 0) return { rows: 0, parts: {} };
  const part = (name: EntryPart) => vectors[names.indexOf(name)];
  const all = rowsOf(wholesOf(part("tag_no")), tag_nos);
  const { entry, line } = watermark
    ? rowsBehind(all, { watermark, ts: part("ts"), received_at: part("received_at") })
    : all;
  const order = new Order(entry.length);
  // A stable sort by each key, the last of them first.
  if (resolution === undefined) order.sort(taken(wholesOf(part("resolution")), entry));
  order.sort(line);
  for (const words of wordsOfTimes(part("ts"), entry)) order.sort(words);
  if (watermark) {
    for (const words of wordsOfTimes(part("received_at"), entry)) order.sort(words);
  }
  const rows = order.first(limit);
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
  { entry, line }: Rows,
  { watermark: { since_us, after_us, after_line }, ts, received_at }: {
    readonly watermark: SignalWatermark;
    readonly ts: Vector;
    readonly received_at: Vector;
  },
): Rows {
  const [stamps, times] = [timesOf(received_at, entry), timesOf(ts, entry)];
  const behind = Uint32Array.from(entry.keys()).filter((row) =>
    stamps[row] > since_us || times[row] > after_us ||
    (times[row] === after_us && line[row] >= after_line)
  );
  return { entry: taken(entry, behind), line: taken(line, behind) };
}

/** Rows put in order by one key after the other. */
class Order {
  #rows: Uint32Array;
  #room: Uint32Array;

  constructor(size: number) {
    this.#rows = new Uint32Array(size);
    this.#room = new Uint32Array(size);
    for (let row = 0; row < size; row++) this.#rows[row] = row;
  }

  /** Sorts by the key of each row; rows of the same key stay as they are to each other. */
  sort(key: Uint32Array): void {
    let bits = 0;
    for (let row = 0; row < key.length; row++) bits |= key[row];
    for (let shift = 0; shift < 32 && bits >>> shift !== 0; shift += digit_bits) {
      this.#sortDigit(key, shift);
    }
  }

  first(limit: number): Uint32Array {
    return this.#rows.subarray(0, limit);
  }

  #sortDigit(key: Uint32Array, shift: number): void {
    const [rows, room] = [this.#rows, this.#room];
    const starts = new Uint32Array(digits + 1);
    for (let i = 0; i < key.length; i++) starts[(key[i] >>> shift & digits - 1) + 1]++;
    for (let digit = 1; digit < digits; digit++) starts[digit] += starts[digit - 1];
    for (let i = 0; i < rows.length; i++) {
      room[starts[key[rows[i]] >>> shift & digits - 1]++] = rows[i];
    }
    [this.#rows, this.#room] = [room, rows];
  }
}

const digit_bits = 11;
const digits = 1 << digit_bits;
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

/** Times of rows from the first of them on, as two keys: the low words, then the high ones. */
function wordsOfTimes(times: Vector, entry: Uint32Array): readonly [Uint32Array, Uint32Array] {
  const us = timesOf(times, entry);
  let first_us = Infinity;
  for (let row = 0; row < us.length; row++) if (us[row] < first_us) first_us = us[row];
  const [low, high] = [new Uint32Array(us.length), new Uint32Array(us.length)];
  for (let row = 0; row < us.length; row++) {
    const since_us = us[row] - first_us;
    high[row] = since_us / word;
    low[row] = since_us - high[row] * word;
  }
  return [low, high];
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
