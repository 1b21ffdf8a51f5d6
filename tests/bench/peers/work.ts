// The work: values of a plant from a seed, the bodies that carry them, and the questions asked.
import { body_minutes, body_values, inverters, makeBody, measures } from "../bodies.ts";

/** Days of all inverters and measures by minute, the last of which is over. */
export type Work = {
  readonly days: number;
  /** The first instant, and that after the last. */
  readonly from_us: number;
  readonly to_us: number;
};

/** How a body is written. The last three have a row for each inverter and minute. */
export type BodyFormat = "line" | "ndjson" | "arrow" | "columns" | "native" | "copy";

export const minute_us = 60_000_000;
export const day_us = 1440 * minute_us;

/** Values of all inverters and measures in so many minutes are a page. */
const page_values = 100_000;
const page_minutes = page_values / (inverters * Object.keys(measures).length);
/** Minutes are asked for so many days. */
const minute_days = 7;
/** The inverter that is asked for alone, by its number. */
export const one_inverter = 77;

/** The questions, each with the number of values that are its answer. */
export const questions = {
  days: { what: "day × inverter, all days", values: ({ days }) => inverters * days },
  hours: { what: "hour × inverter, all days", values: ({ days }) => inverters * 24 * days },
  quarters: { what: "quarter-hours of one day", values: () => inverters * 96 },
  latest: { what: "last value of 2 000", values: () => inverters * Object.keys(measures).length },
  tag_day: { what: "one raw tag's day", values: () => 1440 },
  page: { what: "100 000 values by time", values: () => page_values },
  replay: { what: "the same by watermark from the beginning", values: () => page_values },
  minutes: {
    what: "minutes of up to 7 days",
    values: ({ days }) => inverters * 1440 * Math.min(days, minute_days),
  },
  whole: { what: "Full by project", values: () => 1 },
  inverter_minutes: {
    what: "one inverter's minutes, all days",
    values: ({ days }) => 1440 * days,
  },
} as const satisfies Record<string, { what: string; values: (work: Work) => number }>;
export type Question = keyof typeof questions;
export const question_names = Object.keys(questions) as readonly Question[];

/** The `days` days before the one of `now_ms`, in UTC. */
export function workOf(days: number, now_ms: number): Work {
  const to_us = Math.floor(now_ms * 1000 / day_us) * day_us;
  return { days, from_us: to_us - days * day_us, to_us };
}

/** How many values a work has, and how many bodies. */
export function sizeOfWork({ days }: Work): { readonly values: number; readonly bodies: number } {
  const bodies = days * 1440 / body_minutes;
  return { bodies, values: bodies * body_values };
}

/** The spans that the questions are about, in microseconds. */
export function spansOf({ from_us, to_us }: Work) {
  const noon_us = from_us + day_us / 2;
  return {
    all: [from_us, to_us],
    // The first one: it has been over for the longest.
    one_day: [from_us, from_us + day_us],
    page: [noon_us, noon_us + page_minutes * minute_us],
    minutes: [Math.max(from_us, to_us - minute_days * day_us), to_us],
  } as const satisfies Record<string, readonly [from_us: number, to_us: number]>;
}

/** The bytes of a body of a work. */
export function bodyOf(
  { from_us }: Work,
  { format, body }: { readonly format: BodyFormat; readonly body: number },
): Uint8Array<ArrayBuffer> {
  const at_us = from_us + body * body_minutes * minute_us;
  const values = valuesOf(body);
  switch (format) {
    case "columns":
      return columnsBody(at_us, values);
    case "native":
      return nativeBody(at_us, values);
    case "copy":
      return copyBody(at_us, values);
    default:
      return makeBody(format, at_us, values);
  }
}

/** Rows of a body that has one for each inverter and minute. */
export const body_rows = body_minutes * inverters;

/** A plant by day and night, with one decimal, as a collector sends it; the seed is the body. */
function valuesOf(body: number): Float64Array {
  const values = new Float64Array(body_values);
  let state = body + 1;
  const chance = () => {
    state = state + 0x6d2b79f5 | 0;
    let mixed = Math.imul(state ^ state >>> 15, state | 1);
    mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61);
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  };
  for (let row = 0; row < body_rows; row++) {
    const minute = (body * body_minutes + Math.floor(row / inverters)) % 1440;
    const inverter = row % inverters;
    const sun = Math.max(0, Math.sin((minute - 360) / 720 * Math.PI));
    const p_ac = sun * (800 + inverter % 97) * (0.96 + 0.04 * chance());
    const u_dc = sun > 0 ? 690 + 40 * sun + 8 * chance() : 0;
    const t_cab = 18 + inverter % 7 + 21 * sun + chance();
    values.set([p_ac, p_ac * 1.02, u_dc, t_cab].map((it) => Math.round(it * 10) / 10), row * 4);
  }
  return values;
}

function timesOf(at_us: number, unit_us: number): BigInt64Array {
  return BigInt64Array.from(
    { length: body_rows },
    (_, row) => BigInt(at_us + Math.floor(row / inverters) * minute_us) / BigInt(unit_us),
  );
}

function fieldOf(values: Float64Array, field: number): Float64Array {
  return Float64Array.from({ length: body_rows }, (_, row) => values[row * 4 + field]);
}

function inverterNumbers(): Uint16Array {
  return Uint16Array.from({ length: body_rows }, (_, row) => row % inverters);
}

/** The columns one behind the other: times in microseconds, the measures, the inverters. */
function columnsBody(at_us: number, values: Float64Array): Uint8Array<ArrayBuffer> {
  const fields = [0, 1, 2, 3].map((field) => fieldOf(values, field));
  return joined([timesOf(at_us, 1), ...fields, Int32Array.from(inverterNumbers())]);
}

/** One block of ClickHouse's format Native. */
function nativeBody(at_us: number, values: Float64Array): Uint8Array<ArrayBuffer> {
  const names = Object.keys(measures);
  const columns = [
    { name: "inverter", type: "UInt16", data: inverterNumbers() },
    { name: "ts", type: "DateTime64(3, 'UTC')", data: timesOf(at_us, 1000) },
    ...names.map((name, field) => ({ name, type: "Float64", data: fieldOf(values, field) })),
  ];
  return joined([
    ...[bytesOf(columns.length), bytesOf(body_rows)],
    ...columns.flatMap(({ name, type, data }) => [textOf(name), textOf(type), data]),
  ]);
}

/** PostgreSQL's binary COPY: inverter (2 bytes), timestamp, measures. */
function copyBody(at_us: number, values: Float64Array): Uint8Array<ArrayBuffer> {
  const epoch_us = BigInt(Date.UTC(2000)) * 1000n;
  const row_bytes = 2 + 6 + 5 * 12;
  const bytes = new Uint8Array(19 + body_rows * row_bytes + 2);
  bytes.set([...new TextEncoder().encode("PGCOPY\n"), 255, 13, 10, 0]);
  const view = new DataView(bytes.buffer);
  timesOf(at_us, 1).forEach((ts, row) => {
    const at = 19 + row * row_bytes;
    view.setInt16(at, 6);
    view.setInt32(at + 2, 2);
    view.setInt16(at + 6, row % inverters);
    view.setInt32(at + 8, 8);
    view.setBigInt64(at + 12, ts - epoch_us);
    for (let field = 0; field < 4; field++) {
      view.setInt32(at + 20 + field * 12, 8);
      view.setFloat64(at + 24 + field * 12, values[row * 4 + field]);
    }
  });
  view.setInt16(bytes.length - 2, -1);
  return bytes;
}

/** A whole number in seven bits a byte. */
function bytesOf(value: number): Uint8Array {
  const bytes: number[] = [];
  for (; value >= 128; value >>>= 7) bytes.push(value & 127 | 128);
  return Uint8Array.from([...bytes, value]);
}

function textOf(text: string): Uint8Array {
  return joined([bytesOf(text.length), new TextEncoder().encode(text)]);
}

function joined(parts: readonly ArrayBufferView[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
    at += part.byteLength;
  }
  return bytes;
}
