// A file to import, whatever its format: found out, and read in pieces from any mark on.
import { concat, textOf } from "../base/bytes.ts";
import { Fault } from "../base/fault.ts";
import { body_limits } from "./bytes/limits.ts";
import { type Decoded, decodeSamples, type IngestLane } from "./decode.ts";
import { cellsOf, type LineStart } from "./bytes/delimited.ts";
import type { Layout } from "./historian/head.ts";
import { type HistorianOptions, openHistorian, type Source } from "./historian/historian.ts";
import { asciiAt } from "./bytes/number.ts";
import type { WallMark } from "./historian/wall_time.ts";

/** The formats by the names that `--format` takes. */
export const import_formats = ["ndjson", "json", "csv", "wide", "toa5", "arrow"] as const;
export type ImportFormat = typeof import_formats[number];

/** Where to go on once everything before it is stored. */
export type ImportMark = LineStart & { readonly wall?: WallMark };

/** Some rows; their lines count from `line_base` + 1. */
export type ImportPiece = {
  readonly decoded: Decoded;
  readonly line_base: number;
  readonly mark: ImportMark;
};

/** A file that is ready to be read. */
export type ImportFile = {
  readonly format: ImportFormat;
  /** Whether offsets are of what the file unpacks to. */
  readonly packed: boolean;
  /** Units by tag, where the file says them. */
  readonly units: ReadonlyMap<string, string>;
  /** How its times were taken, in words; null where that goes without saying. */
  readonly times: string | null;
  /** Tags whose times were ends of intervals, and became their starts. */
  readonly moved: ReadonlySet<string>;
  readonly pieces: (from?: ImportMark) => AsyncIterable<ImportPiece>;
};

/** How to read it. `wide` is of the formats `wide` and `toa5`. */
type ImportOptions = {
  readonly format?: ImportFormat;
  readonly lane: IngestLane;
  readonly wide: Omit<HistorianOptions, "lane">;
};

const media_types = {
  ndjson: "application/x-ndjson",
  json: "application/json",
  csv: "text/csv",
  arrow: "application/vnd.apache.arrow.stream",
} as const;

/** Opens a file, packed with gzip or not. Throws a `Fault` when it is of no known format. */
export async function openImport(file: Source, options: ImportOptions): Promise<ImportFile> {
  const [first, second] = await firstBytes(file);
  const packed = first === 0x1f && second === 0x8b;
  const content = await openContent(packed ? gunzipped(file) : file, options);
  return { ...content, packed };
}

/** The content of a gzip file. Each reading unpacks from the start and skips to its offset. */
function gunzipped(source: Source): Source {
  return async function* (offset) {
    let at = 0;
    for await (const part of unzipped(source)) {
      const skip = Math.max(0, offset - at);
      at += part.length;
      if (skip < part.length) yield part.subarray(skip);
    }
  };
}

async function* unzipped(source: Source): AsyncGenerator<Uint8Array, void> {
  const gunzip = new DecompressionStream("gzip") as TransformStream<Uint8Array, Uint8Array>;
  const content = ReadableStream.from(source(0)).pipeThrough(gunzip);
  try {
    for await (const part of content) yield part;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Fault("invalid", `the gzip file is damaged or cut short: ${error.message}`);
  }
}

async function openContent(
  source: Source,
  options: ImportOptions,
): Promise<Omit<ImportFile, "packed">> {
  const format = options.format ?? formatOf(await firstBytes(source));
  if (format === "wide" || format === "toa5") return await openWide(source, { options, format });
  const pieces = format === "json" || format === "arrow" ? wholeFile : rowPieces;
  const reading = { format, lane: options.lane };
  return {
    format,
    units: new Map(),
    times: null,
    moved: new Set(),
    pieces: (from) => pieces(source, { ...reading, from }),
  };
}

type Reading = {
  readonly format: keyof typeof media_types;
  readonly lane: IngestLane;
  readonly from?: ImportMark;
};

async function openWide(
  source: Source,
  { options, format }: { readonly options: ImportOptions; readonly format: "wide" | "toa5" },
): Promise<Omit<ImportFile, "packed">> {
  const { lane, wide } = options;
  if (lane === "forecast") throw new Fault("invalid", "a wide file can't be of lane forecast");
  const { layout, pieces } = await openHistorian(source, { ...wide, lane });
  const { columns } = layout;
  const units = columns.flatMap(({ tag, unit }) => unit === null ? [] : [[tag, unit]]);
  const moved = columns.flatMap(({ tag, shift_us }) => shift_us > 0 ? [tag] : []);
  return {
    format: layout.toa5 ? "toa5" : format,
    units: new Map(units as [string, string][]),
    times: timesOf(layout, moved.length),
    moved: new Set(moved),
    async *pieces(from) {
      const mark = from && { ...from, wall: from.wall! };
      for await (const piece of pieces(mark)) yield { ...piece, line_base: 0 };
    },
  };
}

/** How the times of a wide file are taken, in words for whoever imports it. */
function timesOf({ toa5, columns, step_us }: Layout, moved: number): string | null {
  if (moved === 0) return toa5 ? "times are stored as they stand in the file" : null;
  const kept = moved < columns.length ? ", but for instantaneous samples (Smp)" : "";
  return `times end intervals of ${step_us / 1e6} s: stored at their starts${kept}`;
}

/** A format that can't be cut: all of the file is one body. */
async function* wholeFile(
  source: Source,
  { format, lane, from }: Reading,
): AsyncGenerator<ImportPiece, void> {
  if (from && from.offset > 0) return;
  const media_type = media_types[format];
  const decoded = await decodeSamples(source(0), { media_type, encoding: null, lane });
  yield { decoded, line_base: 0, mark: { offset: Infinity, line: 1 } };
}

/** Rows a line each; a CSV's header is put before every body. */
async function* rowPieces(
  source: Source,
  { format, lane, from }: Reading,
): AsyncGenerator<ImportPiece, void> {
  const header = format === "csv" ? await headerOf(source) : undefined;
  for await (const body of chopRows(source(from?.offset ?? 0), from)) {
    const headed = header !== undefined && body.first_line > 1;
    const decoded = await decodeSamples(bodyOf(headed ? [header] : [], body), {
      media_type: media_types[format],
      encoding: null,
      lane,
    });
    yield { decoded, line_base: body.first_line - (headed ? 2 : 1), mark: body.next };
  }
}

/** Some whole rows, the number of their first line, and where the next ones begin. */
type Body = {
  readonly bytes: Uint8Array;
  readonly first_line: number;
  readonly next: LineStart;
};

/**
 * The rows of `body`, which begins at `start`, in bodies of about `body_limits.import_piece_bytes`.
 * A line feed within quotes ends no row. A row longer than a body is a `Fault` (invalid).
 */
export async function* chopRows(
  body: AsyncIterable<Uint8Array>,
  start: LineStart = { offset: 0, line: 1 },
): AsyncGenerator<Body, void> {
  let at = start;
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    parts.push(part);
    size += part.length;
    if (size < body_limits.import_piece_bytes) continue;
    const bytes = concat(parts);
    const { end, feeds } = lastRowEnd(bytes);
    if (end === 0) {
      throw new Fault("invalid", `line ${at.line} has no end: is a quote unclosed?`);
    }
    const next = { offset: at.offset + end, line: at.line + feeds };
    yield { bytes: bytes.subarray(0, end), first_line: at.line, next };
    at = next;
    parts = [bytes.subarray(end)];
    size = bytes.length - end;
  }
  if (size === 0) return;
  const next = { offset: at.offset + size, line: at.line + 1 };
  yield { bytes: concat(parts), first_line: at.line, next };
}

/** Where the last whole row ends, and the line feeds before that. */
function lastRowEnd(bytes: Uint8Array): { readonly end: number; readonly feeds: number } {
  let open = false;
  let feeds = 0;
  let found = { end: 0, feeds: 0 };
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === quote) open = !open;
    if (bytes[i] !== feed) continue;
    feeds++;
    if (!open) found = { end: i + 1, feeds };
  }
  return found;
}

const feed = 0x0a;
const quote = 0x22;

async function* bodyOf(
  before: readonly Uint8Array[],
  { bytes }: Body,
): AsyncGenerator<Uint8Array, void> {
  yield* before;
  yield await Promise.resolve(bytes);
}

/** The header line with its line feed. */
async function headerOf(source: Source): Promise<Uint8Array> {
  const bytes = await firstBytes(source);
  return bytes.subarray(0, bytes.indexOf(0x0a) + 1);
}

async function firstBytes(source: Source): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of source(0)) {
    parts.push(part);
    size += part.length;
    if (part.includes(0x0a) || size > body_limits.ingest_line_bytes) break;
  }
  return concat(parts);
}

/** First bytes of what can't be read: Parquet, Arrow files, zstd and zip. */
const strange_magics = ["PAR1", "ARROW1", "\x28\xb5\x2f\xfd", "PK\x03"];

function formatOf(bytes: Uint8Array): ImportFormat {
  if (bytes.subarray(0, 4).every((byte) => byte === 0xff) && bytes.length >= 4) return "arrow";
  const magic = asciiAt(bytes, { start: 0, end: Math.min(6, bytes.length) });
  if (strange_magics.some((it) => magic.startsWith(it))) {
    const advice = "unpack it, or save it as CSV, NDJSON or an Arrow stream";
    throw new Fault("unsupported_media", `the file is Parquet, an archive or the like: ${advice}`);
  }
  const text = textOf(bytes.subarray(0, bytes.indexOf(0x0a) + 1 || undefined));
  if (/^"?TOA5"?,/.test(text)) return "toa5";
  if (/^\ufeff?\s*\{/.test(text)) return "ndjson";
  if (/^\ufeff?\s*\[/.test(text)) return "json";
  const names = cellsOf(text.replace(/^\ufeff/, "").trim(), ",");
  const rows = names.includes("ts") && (names.includes("tag") || names.includes("sensor_tag"));
  return rows ? "csv" : "wide";
}
