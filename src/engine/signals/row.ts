// Pages of numbers as rows of signals: the words of a line, values in its unit, names of codes.
import { assert } from "../../base/assert.ts";
import {
  type Chunk,
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
import { signal_page } from "../../store/samples/signal.ts";

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

/**
 * Makes, by its name, each column of the rows of a page (whose columns are as `signal_page`); its
 * lines are numbers into `lines`.
 */
export function signalMakers(
  page: Chunk,
  lines: readonly SignalLine[],
): Readonly<Record<string, () => Vector>> {
  const { rows } = page;
  const column = (name: keyof typeof signal_page) => page.vectors[signal_page[name]];
  const line = int32(column("line"));
  const by_line = (read: (line: SignalLine) => string | null) => () =>
    textByLine(line, lines, read);
  const plain = (name: keyof typeof signal_page) => () => column(name);
  const instant = (name: keyof typeof signal_page) => () => instants(column(name));
  return {
    lane: () => ({
      kind: "text",
      words: lane_words,
      codes: line.map((no) => lanes.indexOf(lines[no].lane)),
    }),
    sensor_tag: by_line(({ tag }) => tag.sensor_tag),
    hierarchy_id: by_line(({ sensor }) => sensor && sensor.hierarchy_id),
    device_id: by_line(({ sensor }) => sensor && (sensor.device_id ?? "")),
    device_key: by_line(({ tag }) => tag.device_key),
    device_name: by_line(({ tag }) => tag.device_name),
    tag_class: by_line(({ tag }) => tag.tag_class),
    value_encoding: () => (
      { kind: "text", words: encoding_words, codes: encodingCodes(page, lines) }
    ),
    unit: by_line(unitOf),
    resolution: () => (
      { kind: "text", words: resolution_words, codes: int32(column("resolution")) }
    ),
    ts: instant("ts"),
    ts_utc: instant("ts"),
    received_at: instant("received_at"),
    server_ts: () => (
      { kind: "instant", values: new BigInt64Array(rows), valid: noneValid(rows) }
    ),
    value: () => scaled(column("value"), line, lines),
    raw_value: plain("value"),
    value_int: plain("value_int"),
    value_str: plain("value_str"),
    quality: () => coded(column("quality"), quality_words, (place) => place),
    status_code: plain("status_code"),
    status_name: () => coded(column("status_code"), status_words, statusPlace),
    carried: () => ({ kind: "bool", values: new Uint8Array(int32(column("carried"))) }),
    good_count: plain("good_count"),
    uncertain_count: plain("uncertain_count"),
    bad_count: plain("bad_count"),
  } satisfies Record<typeof signal_columns[number]["name"] | "ts_utc", () => Vector>;
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
  for (let i = 0; i < line.length; i++) {
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
  for (let i = 0; i < codes.length; i++) {
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
  for (let i = 0; i < codes.length; i++) {
    if (values[i] !== last) last_place = place(last = values[i]);
    codes[i] = isValid(valid, i) ? last_place : -1;
  }
  return { kind: "text", words, codes, valid: nonNegative(codes) };
}

/** The column that holds a row's value, else the one that its tag's values would be in. */
function encodingCodes(page: Chunk, lines: readonly SignalLine[]): Int32Array<ArrayBuffer> {
  const line = int32(page.vectors[signal_page.line]);
  const { value, value_int, value_str } = signal_page;
  const [floats, integers, texts] = [value, value_int, value_str].map((i) => page.vectors[i].valid);
  const usual = lines.map(({ tag }) => encodings.indexOf(tag.encoding ?? "float"));
  const codes = new Int32Array(line.length);
  for (let i = 0; i < codes.length; i++) {
    if (isValid(floats, i)) codes[i] = 0;
    else if (isValid(integers, i)) codes[i] = 1;
    else codes[i] = isValid(texts, i) ? 2 : usual[line[i]];
  }
  return codes;
}

/** Values in the unit of their line: the same vector when no line scales. */
function scaled(raw: Vector, line: Int32Array, lines: readonly SignalLine[]): Vector {
  assert(raw.kind === "float64", "values are floats");
  if (lines.every(({ sensor }) => !sensor || sensor.scale === 1 && sensor.offset === 0)) return raw;
  const scale = Float64Array.from(lines, ({ sensor }) => sensor?.scale ?? 1);
  const offset = Float64Array.from(lines, ({ sensor }) => sensor?.offset ?? 0);
  const values = new Float64Array(line.length);
  for (let i = 0; i < line.length; i++) {
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
