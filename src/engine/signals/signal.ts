// Reads a page of signals: which lines and what window of time, then numbers into rows.
import { compareText } from "../../base/bytes.ts";
import { assert } from "../../base/assert.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import {
  type Answer,
  type Chunk,
  isValid,
  noneValid,
  setValid,
  type Validity,
  type Vector,
  type Words,
  wordsOf,
} from "../../model/data/chunk.ts";
import type { Project, Sensor, Tag } from "../../model/plant/plant.ts";
import {
  type Lane,
  lanes,
  type Resolution,
  resolutions,
  signal_columns,
} from "../../model/samples/signal.ts";
import { measures } from "../../model/plant/measure.ts";
import { quality_names, status_names, statusPlace } from "../../model/samples/sample.ts";
import type { Database } from "../../store/database.ts";
import {
  readSignals,
  replaySignals,
  signal_page,
  type SignalSelection,
} from "../../store/samples/signal.ts";
import type { Catalog } from "../catalog/catalog.ts";

/** What a request for signals asks, checked. */
export type SignalRequest = {
  readonly project: Project;
  readonly filter: LineFilter;
  readonly resolution: Resolution | undefined;
  /** Sample times, `[from_us, to_us)`. */
  readonly from_us: number;
  readonly to_us: number;
  /** Read in the order of storing instead, from a watermark on. */
  readonly replay: SignalReplay | undefined;
  readonly limit: number;
  readonly offset: number;
};

/** Which lines a request wants; an empty list and undefined want all. */
type LineFilter = {
  readonly lane: Lane | undefined;
  readonly tags: readonly string[];
  readonly tag_class: string | undefined;
  readonly device_ids: readonly string[];
};

/** A watermark: the last row received, or only the time it was stored. */
export type SignalReplay = {
  readonly since_us: number;
  readonly after: { readonly ts_us: number; readonly tag: string } | undefined;
};

/** What reads signals need. */
type SignalParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  /** Age from which a stored row shows in a replay. */
  readonly visible_after_us: number;
};

/** Answers requests for signals. */
export class Signals {
  readonly #parts: SignalParts;
  readonly #lines: SignalLines;
  /** By project, the time in which a line stored a row, in the last full page of a replay. */
  readonly #row_us = new Map<number, number>();

  constructor(parts: SignalParts) {
    this.#parts = parts;
    this.#lines = new SignalLines(parts.catalog);
  }

  /** One page of rows; reading stops, and throws, when `signal` aborts. */
  read(request: SignalRequest, signal: AbortSignal): Answer {
    return { columns: signal_columns, chunks: this.#chunks(request, signal), metadata: {} };
  }

  async *#chunks(request: SignalRequest, signal: AbortSignal): AsyncGenerator<Chunk, void> {
    const selected = this.#lines.select(request.project, request.filter);
    // A replay goes on behind a tag, and so has but one line of it.
    const isFirst = ({ tag }: SignalLine, i: number) => tag !== selected[i - 1]?.tag;
    const lines = request.replay ? selected.filter(isFirst) : selected;
    if (lines.length === 0) return;
    const page = request.replay
      ? await this.#replay(request, lines, { replay: request.replay, signal })
      : await this.#range(request, lines, signal);
    if (page.rows > 0) yield signalRows(page, lines);
  }

  /** Rows by sample time. */
  #range(
    request: SignalRequest,
    lines: readonly SignalLine[],
    signal: AbortSignal,
  ): Promise<Chunk> {
    const { from_us, to_us, limit, offset } = request;
    const selection = selectionOf(request, lines);
    // A guess of one row a line and second, mended by what the first window holds.
    const seconds = (limit + offset) / lines.length;
    const page = { limit, offset, start_us: from_us, end_us: to_us };
    return widen(
      { ...page, span_us: Math.max(sample_limits.signal_span_us, seconds * 1e6) },
      (until_us) =>
        this.#parts.database.read(
          (connection) => readSignals(connection, { ...selection, to_us: until_us }),
          signal,
        ),
    );
  }

  /** Rows by storing time, up to what every later reader will see before anything newer. */
  async #replay(
    request: SignalRequest,
    lines: readonly SignalLine[],
    { replay, signal }: { readonly replay: SignalReplay; readonly signal: AbortSignal },
  ): Promise<Chunk> {
    const { database, visible_after_us } = this.#parts;
    const { limit, offset, project } = request;
    const { since_us, after } = replay;
    const visible_us = Math.min(database.now_us - visible_after_us, database.committed_us);
    const page = { limit, offset, start_us: since_us, end_us: visible_us + 1 };
    const selection = selectionOf(request, lines);
    const after_us = after?.ts_us ?? -1;
    const after_line = after ? linesUpTo(lines, after.tag) : 0;
    const row_us = this.#row_us.get(project.project_no) ?? 0;
    const guess_us = 1.3 * row_us * (limit + offset) / lines.length;
    const span_us = Math.max(sample_limits.replay_span_us, guess_us);
    const rows = await widen({ ...page, span_us }, (until_us) => {
      const watermark = { since_us, until_us, after_us, after_line };
      return database.read(
        (connection) => replaySignals(connection, selection, watermark),
        signal,
      );
    });
    if (rows.rows === limit) {
      this.#row_us.set(project.project_no, receivedSpan(rows) / (limit / lines.length));
    }
    return rows;
  }
}

/** Microseconds from the first to the last row of a page that is ordered by storing time. */
function receivedSpan({ rows, vectors }: Chunk): number {
  const { values } = vectors[signal_page.received_at] as Extract<Vector, { kind: "int64" }>;
  return Number(values[rows - 1] - values[0]);
}

function selectionOf(request: SignalRequest, lines: readonly SignalLine[]): SignalSelection {
  const { resolution, from_us, to_us, limit, offset } = request;
  return {
    tag_nos: lines.map((line) => line.tag.tag_no),
    raw: resolution !== "1m",
    minutes: resolution !== "raw",
    from_us,
    to_us,
    limit,
    offset,
  };
}

type Window = {
  readonly start_us: number;
  readonly end_us: number;
  /** Length of the first window. */
  readonly span_us: number;
  readonly limit: number;
  readonly offset: number;
};

/**
 * Reads a page from a window of time that starts at `start_us` and is only as long as it must be:
 * rows are sorted within the window, so a full page is the same as that of the whole range.
 */
async function widen(
  { start_us, end_us, span_us, limit, offset }: Window,
  read: (until_us: number) => Promise<Chunk>,
): Promise<Chunk> {
  for (let span = span_us, last_rows = 0;;) {
    const until_us = Math.max(start_us, Math.min(start_us + Math.ceil(span), end_us));
    const page = await read(until_us);
    if (page.rows === limit || until_us >= end_us) return page;
    const wanted = 1.3 * (limit + offset) / (page.rows + offset);
    const growth = page.rows === last_rows ? sample_limits.span_growth : wanted;
    span *= Math.min(Math.max(growth, 2), sample_limits.span_growth);
    last_rows = page.rows;
  }
}

/** How many lines are of a tag up to `tag`, which may be a tag that no line shows. */
function linesUpTo(lines: readonly SignalLine[], tag: string): number {
  const at = lines.findIndex((line) => compareText(line.tag.sensor_tag, tag) > 0);
  return at < 0 ? lines.length : at;
}

/** Sorted lines by project, made again when the catalog has changed. */
class SignalLines {
  readonly #catalog: Catalog;
  #version = -1;
  #by_project = new Map<number, readonly SignalLine[]>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** The lines that a request wants, by tag (in the order of UTF-8 bytes), then lane. */
  select(project: Project, filter: LineFilter): readonly SignalLine[] {
    const { lane, tags, tag_class, device_ids } = filter;
    const wanted = new Set(tags);
    const devices = new Set<string | null | undefined>(device_ids);
    return this.#lines(project).filter((line) =>
      (lane === undefined || line.lane === lane) &&
      (wanted.size === 0 || wanted.has(line.tag.sensor_tag)) &&
      (tag_class === undefined || line.tag.tag_class === tag_class) &&
      (devices.size === 0 || devices.has(line.sensor?.device_id))
    );
  }

  #lines(project: Project): readonly SignalLine[] {
    if (this.#version !== this.#catalog.version) {
      this.#by_project = linesByProject(this.#catalog);
      this.#version = this.#catalog.version;
    }
    return this.#by_project.get(project.project_no) ?? [];
  }
}

function linesByProject(catalog: Catalog): Map<number, readonly SignalLine[]> {
  const lines = catalog.tags
    .filter((tag) => tag.lane === "signal")
    .toSorted((a, b) => compareText(a.sensor_tag, b.sensor_tag))
    .flatMap((tag) => lanes.flatMap((lane) => linesOf(catalog, tag, lane)));
  return Map.groupBy(lines, (line) => line.tag.project_no);
}

function linesOf(catalog: Catalog, tag: Tag, lane: Lane): readonly SignalLine[] {
  if (lane === "raw_signal") return [{ lane, tag, sensor: null }];
  const sensors = catalog.sensorsOfTag(tag.tag_no).filter(({ direct }) => direct);
  return sensors.map((sensor) => ({ lane, tag, sensor }));
}

/** One tag in one lane, and in the performance lane one of its direct sensors. */
type SignalLine =
  | { readonly lane: "raw_signal"; readonly tag: Tag; readonly sensor: null }
  | { readonly lane: "performance"; readonly tag: Tag; readonly sensor: Sensor };

const encodings = ["float", "integer", "string"] as const;
const lane_words = wordsOf(lanes);
const encoding_words = wordsOf(encodings);
const resolution_words = wordsOf(resolutions);
const quality_words = wordsOf(quality_names);
const status_words = wordsOf(status_names);

/** The rows of a page (columns as `signal_page`), whose lines are numbers into `lines`. */
function signalRows(page: Chunk, lines: readonly SignalLine[]): Chunk {
  const { rows } = page;
  const column = (name: keyof typeof signal_page) => page.vectors[signal_page[name]];
  const line = int32(column("line"));
  const by_line = (read: (line: SignalLine) => string | null) => textByLine(line, lines, read);
  const status = column("status_code");
  const vectors: Record<typeof signal_columns[number]["name"], Vector> = {
    lane: {
      kind: "text",
      words: lane_words,
      codes: line.map((no) => lanes.indexOf(lines[no].lane)),
    },
    sensor_tag: by_line(({ tag }) => tag.sensor_tag),
    hierarchy_id: by_line(({ sensor }) => sensor && sensor.hierarchy_id),
    device_id: by_line(({ sensor }) => sensor && (sensor.device_id ?? "")),
    device_key: by_line(({ tag }) => tag.device_key),
    device_name: by_line(({ tag }) => tag.device_name),
    tag_class: by_line(({ tag }) => tag.tag_class),
    value_encoding: { kind: "text", words: encoding_words, codes: encodingCodes(page, lines) },
    unit: by_line(unitOf),
    resolution: { kind: "text", words: resolution_words, codes: int32(column("resolution")) },
    ts: instants(column("ts")),
    received_at: instants(column("received_at")),
    server_ts: { kind: "instant", values: new BigInt64Array(rows), valid: noneValid(rows) },
    value: scaled(column("value"), line, lines),
    raw_value: column("value"),
    value_int: column("value_int"),
    value_str: column("value_str"),
    quality: coded(column("quality"), quality_words, (place) => place),
    status_code: status,
    status_name: coded(status, status_words, statusPlace),
    carried: { kind: "bool", values: new Uint8Array(int32(column("carried"))) },
    good_count: column("good_count"),
    uncertain_count: column("uncertain_count"),
    bad_count: column("bad_count"),
  };
  return { rows, vectors: Object.values(vectors) };
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
  const valid = noneValid(line.length);
  for (let i = 0; i < line.length; i++) {
    const value = raw.values[i] * scale[line[i]] + offset[line[i]];
    if (!isValid(raw.valid, i) || !Number.isFinite(value)) continue;
    values[i] = value;
    setValid(valid, i);
  }
  return { kind: "float64", values, valid };
}

function int32(vector: Vector): Int32Array<ArrayBuffer> {
  assert(vector.kind === "int32", "a 32-bit column");
  return vector.values;
}

function instants(vector: Vector): Vector {
  assert(vector.kind === "int64", "instants are 64-bit");
  return { kind: "instant", values: vector.values, valid: vector.valid };
}
