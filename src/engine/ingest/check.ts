// Looks through a file before any of it is stored: what is in it, and what contradicts itself.
import { Fault } from "../../base/fault.ts";
import { isValid } from "../../model/data/chunk.ts";
import type { Rejection, SampleBatch } from "../../model/samples/sample.ts";
import type { ImportFile, ImportMark, ImportPiece } from "../../wire/import/import_file.ts";
import { noRows } from "../../wire/import/time_columns.ts";
import { table_limits } from "../../wire/import/limits.ts";
import type { Decoded } from "../../wire/decode.ts";
import { importRefusal } from "../../wire/import/refusal.ts";
import { ExcessTally, type FileExcess, type Ratings } from "./excess.ts";

/** Rejections by their reason: how many, and the first of them. */
export type Reasons = Map<string, ReasonCount>;
export type ReasonCount = { count: number; readonly first: Rejection[] };

/** What is in a file. */
export type ImportCheck = {
  /** Rows of samples: a row of a table has several. */
  readonly rows: number;
  readonly rejected_count: number;
  readonly reasons: Reasons;
  /** Values that came before under the same tag and time: the same ones, and others. */
  readonly repeats: Pick<Repeats, "same" | "differing" | "first" | "spans" | "doubtful">;
  /** Powers beyond their rating: they are taken as they are. */
  readonly excess: readonly FileExcess[];
};

/** Called after each piece that was looked at. */
type OnLooked = (mark: ImportMark) => void;

/** How many of a file's values may replace others of their tag and time, in percent. */
const differing_percent = 1;
const shown_per_reason = 3;

/**
 * Reads a file from its start to its end, twice where times may stand in it more than once.
 * Throws a `Fault` (invalid) where it has no row; a table's rows may have no values.
 */
export async function checkImport(
  file: ImportFile,
  onLooked: OnLooked,
  { foresee = () => [], rated = new Map() }: {
    /** The rows of a piece that will be rejected where they go. */
    readonly foresee?: (decoded: Decoded) => readonly Rejection[];
    /** What is known of powers there. */
    readonly rated?: Ratings;
  } = {},
): Promise<ImportCheck> {
  const repeats = new Repeats();
  const excess = new ExcessTally(rated);
  const reasons: Reasons = new Map();
  let [rows, rejected_count] = [0, 0];
  for await (const { decoded, line_base, mark } of file.pieces()) {
    repeats.look(decoded);
    excess.look(decoded);
    rejected_count += decoded.rejected_count;
    const foreseen = foresee(decoded);
    rejected_count += foreseen.length;
    rows -= foreseen.length;
    for (const rejection of [...decoded.rejected, ...foreseen]) {
      noteReason(reasons, rejection, { line_base });
    }
    for (const batch of decoded.batches) rows += batch.rows;
    onLooked(mark);
  }
  if (repeats.suspected) {
    for await (const { decoded, line_base, mark } of file.pieces()) {
      repeats.compare(decoded, line_base);
      onLooked(mark);
    }
  }
  if (rows + rejected_count === 0 && file.layout === null) throw noRows();
  return { rows, rejected_count, reasons, repeats, excess: excess.found };
}

/** Counts a rejection by its reason; its line counts from `line_base` + 1. */
export function noteReason(
  reasons: Reasons,
  rejection: Rejection,
  { line_base }: Pick<ImportPiece, "line_base">,
): void {
  const { reason } = rejection;
  const entry = reasons.get(reason) ?? { count: 0, first: [] };
  entry.count++;
  if (entry.first.length < shown_per_reason) {
    entry.first.push({ ...rejection, line: rejection.line + line_base });
  }
  reasons.set(reason, entry);
}

/** Throws a `Fault` (invalid) where too many values would replace others of the file. */
export function refuseRepeats({ layout }: ImportFile, { rows, repeats }: ImportCheck): void {
  const { differing, first: [first] } = repeats;
  if (100 * differing <= differing_percent * rows) return;
  const { line, tag, ts_us } = first;
  const at = new Date(ts_us / 1000).toISOString();
  const flags = layout === null
    ? ""
    : ". If the rows' time is in several columns, say them with --time-column (one of them: " +
      `${
        layout.time_at.map((it) => layout.names[it]).join("+")
      }); if rows are of several devices ` +
      "or signals, say the columns that name them with --key-column; if the clock is set back " +
      "in autumn, say --timezone";
  throw importRefusal(
    `${differing} of ${rows} values have the tag and the time of another one, and differ: ` +
      `such as ${tag} at ${at} in line ${line}. Nothing was imported${flags}. With ` +
      "--repeats last the last value of each time is taken",
    { name: "repeats", values: { differing, rows, tag, line } },
  );
}

/** One value that came after another of its tag and time. */
type Repeat = { readonly line: number; readonly tag: string; readonly ts_us: number };

const shown_repeats = 3;
const no_value_numbers = new Set([
  ...[-999, -9999, -99_999, -999_999, -9_999_999, -999.9, -999.99, -9999.9, -9999.99],
  ...[-6999, -7999, -32_768],
]);

/**
 * First `look` at all batches: what lies outside the times of its tag so far is new, the rest is
 * suspected. Where some are, `compare` all batches: only then is it known what was before. Tags
 * have the same numbers in all batches.
 */
class Repeats {
  /** Values of the same tag and time that are the same, or others. */
  same = 0;
  differing = 0;
  /** Numbers that loggers write for no value: how many, and the first tag that has it. */
  readonly doubtful = new Map<number, { count: number; readonly tag: string }>();
  /** The first of those that differ from the value before. */
  readonly first: Repeat[] = [];
  /** Names of the tags by their numbers. */
  #names: readonly string[] = [];
  readonly #from = new Edges(Infinity);
  readonly #to = new Edges(-Infinity);
  readonly #suspects = new Suspects();

  /** Whether batches are to be compared. */
  get suspected(): boolean {
    return this.#suspects.size > 0;
  }

  /** The tags that have values, and the times of their first and last, in microseconds. */
  get spans(): readonly {
    readonly tag: string;
    readonly from_us: number;
    readonly to_us: number;
  }[] {
    return this.#names.flatMap((tag, code) => {
      const [from_us, to_us] = [this.#from.at(code), this.#to.at(code)];
      return from_us <= to_us ? [{ tag, from_us, to_us }] : [];
    });
  }

  /** Notes the times of a batch. */
  look({ batches }: Decoded): void {
    for (const batch of batches) {
      if (batch.lane === "forecast") continue;
      this.#names = batch.tags;
      const times = new Times(batch);
      for (let row = 0; row < batch.rows; row++) {
        const tag = batch.tag[row];
        const ts_us = times.at(row);
        if (ts_us > this.#to.at(tag)) this.#to.put(tag, ts_us);
        else if (ts_us >= this.#from.at(tag)) this.#suspects.add(tag, ts_us);
        if (ts_us < this.#from.at(tag)) this.#from.put(tag, ts_us);
        const value = batch.value[row];
        if (value <= -999 && no_value_numbers.has(value)) this.#doubt(value, batch.tags[tag]);
      }
    }
  }

  #doubt(value: number, tag: string): void {
    const known = this.doubtful.get(value);
    if (known) known.count++;
    else this.doubtful.set(value, { count: 1, tag });
  }

  /** Compares the values of what was suspected. Lines count from `line_base` + 1. */
  compare({ batches }: Decoded, line_base: number): void {
    for (const batch of batches) {
      if (batch.lane === "forecast") continue;
      const times = new Times(batch);
      for (let row = 0; row < batch.rows; row++) {
        const ts_us = times.at(row);
        const found = this.#suspects.compare(batch.tag[row], ts_us, valueOf(batch, row));
        if (found === "same") this.same++;
        if (found !== "differs") continue;
        this.differing++;
        if (this.first.length === shown_repeats) continue;
        this.first.push({
          line: batch.line[row] + line_base,
          tag: batch.tags[batch.tag[row]],
          ts_us,
        });
      }
    }
  }
}

class Times {
  readonly #halves: Int32Array;

  constructor({ ts }: SampleBatch) {
    this.#halves = new Int32Array(ts.buffer, ts.byteOffset, ts.length * 2);
  }

  at(row: number): number {
    return this.#halves[2 * row + 1] * 4_294_967_296 + (this.#halves[2 * row] >>> 0);
  }
}

/** A row's value as a number that other values do not share, but by chance of 2^-53. */
function valueOf(batch: SampleBatch, row: number): number {
  const text = batch.value_str.get(row);
  if (text !== undefined) return -1 - hashOf(text);
  if (isValid(batch.int_valid, row)) return Number(batch.value_int[row]);
  return batch.value[row] + 0;
}

function hashOf(text: string): number {
  let [low, high] = [0x811c9dc5, 0x1b873593];
  for (let i = 0; i < text.length; i++) {
    low = Math.imul(low ^ text.charCodeAt(i), 0x01000193);
    high = Math.imul(high ^ low, 0x85ebca6b);
  }
  return (high >>> 11) * 4_294_967_296 + (low >>> 0) + 0.5;
}

/** A number for each tag. */
class Edges {
  readonly #none: number;
  #values = new Float64Array(0);

  constructor(none: number) {
    this.#none = none;
  }

  at(tag: number): number {
    return tag < this.#values.length ? this.#values[tag] : this.#none;
  }

  put(tag: number, value: number): void {
    if (tag >= this.#values.length) {
      const grown = new Float64Array(Math.max(64, 2 * tag)).fill(this.#none);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[tag] = value;
  }
}

/** Tags and times that may stand several times, each with the value that was last seen. */
class Suspects {
  size = 0;
  #room = 0;
  #tag = new Int32Array(0);
  #ts = new Float64Array(0);
  #value = new Float64Array(0);
  #seen = new Uint8Array(0);

  add(tag: number, ts_us: number): void {
    if (2 * this.size >= this.#room) this.#grow();
    const slot = this.#slotOf(tag, ts_us);
    if (this.#tag[slot] >= 0) return;
    this.#tag[slot] = tag;
    this.#ts[slot] = ts_us;
    this.size++;
  }

  /** What a value is beside the one before; undefined where it is none of these, or the first. */
  compare(tag: number, ts_us: number, value: number): "same" | "differs" | undefined {
    const slot = this.#slotOf(tag, ts_us);
    if (this.#tag[slot] < 0) return undefined;
    const same = Object.is(this.#value[slot], value);
    const first = this.#seen[slot] === 0;
    this.#seen[slot] = 1;
    this.#value[slot] = value;
    if (first) return undefined;
    return same ? "same" : "differs";
  }

  #grow(): void {
    if (this.size >= table_limits.suspects) {
      throw new Fault(
        "invalid",
        `more than ${table_limits.suspects} values are not in the order of their times: ` +
          "sort the file by time, or cut it into several",
      );
    }
    const [tags, times] = [this.#tag, this.#ts];
    this.#room = Math.max(1024, 2 * this.#room);
    this.#tag = new Int32Array(this.#room).fill(-1);
    this.#ts = new Float64Array(this.#room);
    this.#value = new Float64Array(this.#room);
    this.#seen = new Uint8Array(this.#room);
    tags.forEach((tag, i) => {
      if (tag < 0) return;
      const slot = this.#slotOf(tag, times[i]);
      this.#tag[slot] = tag;
      this.#ts[slot] = times[i];
    });
  }

  #slotOf(tag: number, ts_us: number): number {
    const mask = this.#room - 1;
    const high = Math.floor(ts_us / 4_294_967_296);
    let hash = Math.imul(ts_us - high * 4_294_967_296, 0x9e3779b1) ^
      Math.imul(tag, 0x85ebca6b) ^ high;
    hash ^= hash >>> 15;
    for (let slot = hash & mask;; slot = (slot + 1) & mask) {
      if (this.#tag[slot] < 0 || this.#tag[slot] === tag && this.#ts[slot] === ts_us) return slot;
    }
  }
}
