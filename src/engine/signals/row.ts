// Pages of numbers as rows of signals: the words of a line, values in its unit, names of codes.
import { assert } from "../../base/assert.ts";
import {
  finiteVector,
  isValid,
  noneValid,
  setValid,
  type Validity,
  type Vector,
  type Words,
  wordsOf,
} from "../../model/data/chunk.ts";
import { measures } from "../../model/plant/measure.ts";
import type { Sensor, Tag } from "../../model/plant/plant.ts";
import { quality_names, status_names, statusPlace } from "../../model/samples/sample.ts";
import { lanes, row_resolutions, type signal_columns } from "../../model/samples/signal.ts";
import type { SignalPage, SignalPart } from "../../store/samples/page.ts";

/** One tag in one lane, and in the performance lane one of its direct sensors. */
export type SignalLine =
  | { readonly lane: "raw_signal"; readonly tag: Tag; readonly sensor: null }
  | { readonly lane: "performance"; readonly tag: Tag; readonly sensor: Sensor };

const encodings = ["float", "integer", "string"] as const;
const lane_words = wordsOf(lanes);
const encoding_words = wordsOf(encodings);
const resolution_words = wordsOf(row_resolutions);
const quality_words = wordsOf(quality_names);
const status_words = wordsOf(status_names);

/** Rows of a page, whose lines are numbers into `lines`. */
export type SignalRows = { readonly page: SignalPage; readonly lines: readonly SignalLine[] };

/** What makes a column of an answer: the parts of a page that it takes, and how. */
type SignalMaker = {
  readonly parts: readonly SignalPart[];
  readonly make: (rows: SignalRows) => Vector;
};

const instant = (name: SignalPart): SignalMaker => ({
  parts: [name],
  make: ({ page }) => instants(partOf(page, name)),
});

const plain = (name: SignalPart): SignalMaker => ({
  parts: [name],
  make: ({ page }) => partOf(page, name),
});

/** A text of each row's line. */
const byLine = (read: (line: SignalLine) => string | null): SignalMaker => ({
  parts: ["line"],
  make: ({ page, lines }) => textByLine(lineOf(page), lines, read),
});

const makers: Readonly<Record<typeof signal_columns[number]["name"] | "ts_utc", SignalMaker>> = {
  lane: {
    parts: ["line"],
    make: ({ page, lines }) => ({
      kind: "text",
      words: lane_words,
      codes: lineOf(page).map((no) => lanes.indexOf(lines[no].lane)),
    }),
  },
  sensor_tag: byLine(({ tag }) => tag.sensor_tag),
  hierarchy_id: byLine(({ sensor }) => sensor && sensor.hierarchy_id),
  device_id: byLine(({ sensor }) => sensor && (sensor.device_id ?? "")),
  device_key: byLine(({ tag }) => tag.device_key),
  device_name: byLine(({ tag }) => tag.device_name),
  tag_class: byLine(({ tag }) => tag.tag_class),
  value_encoding: {
    parts: ["line", "value", "value_int", "value_str"],
    make: (rows) => ({ kind: "text", words: encoding_words, codes: encodingCodes(rows) }),
  },
  unit: byLine(unitOf),
  resolution: {
    parts: ["resolution"],
    make: ({ page }) => (
      { kind: "text", words: resolution_words, codes: int32(partOf(page, "resolution")) }
    ),
  },
  ts: instant("ts"),
  ts_utc: instant("ts"),
  received_at: instant("received_at"),
  server_ts: {
    parts: [],
    make: ({ page: { rows } }) => (
      { kind: "instant", values: new BigInt64Array(rows), valid: noneValid(rows) }
    ),
  },
  value: { parts: ["line", "value"], make: scaled },
  raw_value: plain("value"),
  value_int: plain("value_int"),
  value_str: plain("value_str"),
  quality: {
    parts: ["quality"],
    make: ({ page }) => coded(partOf(page, "quality"), quality_words, (place) => place),
  },
  status_code: plain("status_code"),
  status_name: {
    parts: ["status_code"],
    make: ({ page }) => coded(partOf(page, "status_code"), status_words, statusPlace),
  },
  carried: {
    parts: ["carried"],
    make: ({ page }) => (
      { kind: "bool", values: new Uint8Array(int32(partOf(page, "carried"))) }
    ),
  },
  good_count: plain("good_count"),
  uncertain_count: plain("uncertain_count"),
  bad_count: plain("bad_count"),
};

/** What makes the column of that name; undefined where it is none of signals. */
export function signalMaker(name: string): SignalMaker | undefined {
  return (makers as Readonly<Record<string, SignalMaker>>)[name];
}

/** A part that a page was read with. */
export function partOf({ parts }: SignalPage, name: SignalPart): Vector {
  const part = parts[name];
  assert(part !== undefined, `the page was read without ${name}`);
  return part;
}

function lineOf(page: SignalPage): Int32Array<ArrayBuffer> {
  return int32(partOf(page, "line"));
}

/** Units that are none. */
const dimensionless = new Set<string | null>(["", "1", "code"]);

function unitOf({ sensor, tag }: SignalLine): string | null {
  const unit = sensor ? measures.get(sensor.measure)!.unit : tag.unit;
  return dimensionless.has(unit) ? null : unit;
}

/** A text of each row's line: a dictionary of what the page's lines hold. */
function textByLine(
  line: Int32Array,
  lines: readonly SignalLine[],
  read: (line: SignalLine) => string | null,
): Vector {
  const texts = new Map<string, number>();
  const code_of = new Int32Array(lines.length).fill(-2);
  const codes = new Int32Array(line.length);
  let absent = 0;
  for (let i = 0, { length } = line; i < length; i++) {
    let code = code_of[line[i]];
    if (code === -2) {
      const text = read(lines[line[i]]);
      code = text === null ? -1 : texts.get(text) ?? texts.size;
      if (text !== null) texts.set(text, code);
      code_of[line[i]] = code;
    }
    codes[i] = code;
    if (code < 0) absent++;
  }
  const words = wordsOf([...texts.keys()]);
  return { kind: "text", words, codes, valid: absent === 0 ? undefined : nonNegative(codes) };
}

/** Which codes are codes; the others become 0, a place that every reader can look up. */
function nonNegative(codes: Int32Array): Validity {
  const valid = noneValid(codes.length);
  for (let i = 0, { length } = codes; i < length; i++) {
    if (codes[i] >= 0) setValid(valid, i);
    else codes[i] = 0;
  }
  return valid;
}

/** Codes of a column of numbers: `place` gives a number's word, or -1. */
function coded(numbers: Vector, words: Words, place: (number: number) => number): Vector {
  assert(numbers.kind === "int32" || numbers.kind === "uint32", "codes are 32-bit integers");
  const { values, valid } = numbers;
  const codes = new Int32Array(values.length);
  let last = -1;
  let last_place = -1;
  for (let i = 0, { length } = codes; i < length; i++) {
    if (values[i] !== last) last_place = place(last = values[i]);
    codes[i] = isValid(valid, i) ? last_place : -1;
  }
  return { kind: "text", words, codes, valid: nonNegative(codes) };
}

/** The column that holds a row's value, else the one that its tag's values would be in. */
function encodingCodes({ page, lines }: SignalRows): Int32Array<ArrayBuffer> {
  const line = lineOf(page);
  const names = ["value", "value_int", "value_str"] as const;
  const [floats, integers, texts] = names.map((name) => partOf(page, name).valid);
  const usual = lines.map(({ tag }) => encodings.indexOf(tag.encoding ?? "float"));
  const codes = new Int32Array(line.length);
  for (let i = 0, { length } = codes; i < length; i++) {
    if (isValid(floats, i)) codes[i] = 0;
    else if (isValid(integers, i)) codes[i] = 1;
    else codes[i] = isValid(texts, i) ? 2 : usual[line[i]];
  }
  return codes;
}

/** Values in the unit of their line: the same vector when no line scales. */
function scaled({ page, lines }: SignalRows): Vector {
  const raw = partOf(page, "value");
  assert(raw.kind === "float64", "values are floats");
  if (lines.every(({ sensor }) => !sensor || sensor.scale === 1 && sensor.offset === 0)) return raw;
  const line = lineOf(page);
  const scale = Float64Array.from(lines, ({ sensor }) => sensor?.scale ?? 1);
  const offset = Float64Array.from(lines, ({ sensor }) => sensor?.offset ?? 0);
  const values = new Float64Array(line.length);
  for (let i = 0, { length } = line; i < length; i++) {
    const is_known = isValid(raw.valid, i);
    values[i] = is_known ? raw.values[i] * scale[line[i]] + offset[line[i]] : NaN;
  }
  return finiteVector(values);
}

function int32(vector: Vector): Int32Array<ArrayBuffer> {
  assert(vector.kind === "int32", "a 32-bit column");
  return vector.values;
}

function instants(vector: Vector): Vector {
  assert(vector.kind === "int64", "instants are 64-bit");
  return { kind: "instant", values: vector.values, valid: vector.valid };
}
