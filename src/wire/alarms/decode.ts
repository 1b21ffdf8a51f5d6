// A request's body of alarms as checked rows: snapshots of occurrences and events, within bounds.
import { type Meter, unmetered } from "../../base/budget.ts";
import { giveWay } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { recordBytes } from "../../base/heap.ts";
import { alarm_limits } from "../../model/alarms/limits.ts";
import type { AlarmRejection, AlarmRow } from "../../model/alarms/row.ts";
import { parseExact } from "./decode_json.ts";
import { alarmRowOf, occurrenceIdOf } from "./decode_row.ts";
import { inflate } from "../bytes/inflate.ts";
import { isBlank, readElements } from "../json/json_array.ts";
import { readLines } from "../bytes/lines.ts";
import { pickByType } from "../bytes/media_type.ts";
import { Rejections } from "../bytes/rejections.ts";

/** What a body of alarms held: rows in its order, and those that could not be read. */
export type DecodedAlarms = {
  readonly rows: readonly AlarmRow[];
  /** The first `limits.rejected_shown` of `rejected_count`. */
  readonly rejected: readonly AlarmRejection[];
  readonly rejected_count: number;
};

type Reader = (body: AsyncIterable<Uint8Array>, taker: AlarmTaker) => Promise<void>;

const readers: Readonly<Record<string, Reader>> = {
  "application/x-ndjson": readRows,
  "application/json-seq": readRows,
  "application/json": readArray,
};

/** The media types of bodies of alarms. */
export const alarm_media_types: readonly string[] = Object.keys(readers);

/**
 * Decodes a whole body of alarms. A row that can't be taken is rejected with its line (in an array
 * its number, from 1) and leaves its neighbours be; a body that can't be read (unknown type or
 * encoding, cut short, too large, too many rows) is a `Fault`.
 */
export async function decodeAlarms(
  body: AsyncIterable<Uint8Array>,
  options: {
    readonly media_type: string;
    readonly encoding: string | null;
    readonly now_us: number;
    readonly meter?: Meter;
  },
): Promise<DecodedAlarms> {
  const read = pickByType(readers, options.media_type);
  const { encoding, now_us, meter = unmetered } = options;
  const taker = new AlarmTaker({ now_us, meter });
  await read(paced(inflate(body, { encoding, meter }), taker), taker);
  return taker.decoded();
}

/** Lets other work run every now and then: checks take long, and a whole body may be here. */
async function* paced(
  body: AsyncIterable<Uint8Array>,
  taker: AlarmTaker,
): AsyncGenerator<Uint8Array, void> {
  let paused = 0;
  for await (const piece of body) {
    yield piece;
    if (taker.work - paused < alarm_limits.pause_work) continue;
    paused = taker.work;
    await giveWay();
  }
}

async function readRows(body: AsyncIterable<Uint8Array>, taker: AlarmTaker): Promise<void> {
  await readLines(body, {
    line: (bytes, at) => {
      let start = at.start;
      while (start < at.end && isBlank(bytes[start])) start++;
      if (start === at.end || taker.take(bytes, { start, end: at.end, line: at.line })) return;
      if (!at.ended) throw new Fault("invalid", `the body broke off in line ${at.line}`);
      taker.reject(at.line, "is not JSON: the line ends inside its object");
    },
    tooLong: (line) => taker.reject(line, too_long),
    line_bytes: alarm_limits.line_bytes,
    meter: taker.meter,
  });
}

async function readArray(body: AsyncIterable<Uint8Array>, taker: AlarmTaker): Promise<void> {
  await readElements(body, {
    row: (bytes, at) => {
      if (taker.take(bytes, at)) return;
      taker.reject(at.line, "is not JSON: the row ends inside its object");
    },
    tooLong: (line) => taker.reject(line, too_long),
    row_bytes: alarm_limits.line_bytes,
    meter: taker.meter,
  });
}

const too_long = `is longer than ${alarm_limits.line_bytes} bytes`;

/** Bytes of a row. */
function rowBytes(row: AlarmRow): number {
  if ("event" in row) return recordBytes({ ...row, event: null }) + recordBytes(row.event);
  const { state, events, ...rest } = row;
  return recordBytes(rest) + recordBytes(state) +
    events.reduce((sum, event) => sum + recordBytes(event), 0);
}

/** Takes rows one by one, or rejects them with the reason. */
class AlarmTaker {
  readonly #now_us: number;
  readonly #rows: AlarmRow[] = [];
  readonly #rejections: Rejections<AlarmRejection>;
  readonly meter: Meter;
  #bytes = 0;
  /** Snapshots and events, those within snapshots too, and what is rejected: it is work as well. */
  #items = 0;

  constructor({ now_us, meter }: { readonly now_us: number; readonly meter: Meter }) {
    this.#now_us = now_us;
    this.meter = meter;
    this.#rejections = new Rejections(meter);
  }

  /** How much was done so far: a row, or half a KiB of one. */
  get work(): number {
    return this.#items + this.#bytes / 512;
  }

  /** False when the text of the row ends inside of it, which is for the caller to judge. */
  take(
    bytes: Uint8Array,
    at: { readonly start: number; readonly end: number; readonly line: number },
  ): boolean {
    this.#bytes += at.end - at.start;
    if (this.#bytes > alarm_limits.body_bytes) {
      throw new Fault("too_large", `send at most ${alarm_limits.body_bytes} bytes of rows at once`);
    }
    const parsed = parseExact(bytes, at);
    if (parsed === "ended") return false;
    if ("flaw" in parsed) this.reject(at.line, parsed.flaw);
    else this.#check(parsed.data, at.line);
    return true;
  }

  reject(line: number, reason: string, occurrence_id: string | null = null): void {
    this.#count(1);
    this.#rejections.add({ line, occurrence_id, reason });
  }

  decoded(): DecodedAlarms {
    const { shown, count } = this.#rejections;
    return { rows: this.#rows, rejected: shown, rejected_count: count };
  }

  #check(data: unknown, line: number): void {
    const row = alarmRowOf(data, { line, now_us: this.#now_us });
    if ("flaw" in row) return this.reject(line, row.flaw, occurrenceIdOf(data));
    this.#count("events" in row ? 1 + row.events.length : 1);
    this.meter.take(rowBytes(row));
    this.#rows.push(row);
  }

  #count(items: number): void {
    this.#items += items;
    if (this.#items <= alarm_limits.rows) return;
    throw new Fault("too_large", `send at most ${alarm_limits.rows} alarms and events at once`);
  }
}
