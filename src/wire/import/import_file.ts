// A file to import: bytes (source) → cells (table) → columns (layout) → samples (rows), in pieces.
import { concat, textOf, utf8 } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";
import { instantOf } from "../bytes/instant.ts";
import { body_limits } from "../bytes/limits.ts";
import { type Decoded, decodeSamples, type IngestLane } from "../decode.ts";
import { TagIndex } from "../samples/tag_index.ts";
import { type Layout, layoutOf } from "./layout.ts";
import type { LineStart, Source, TableOptions } from "./options.ts";
import { readTable, type TableMark } from "./rows.ts";
import { firstBytes, plainSource, within } from "./source.ts";
import { CellScanner } from "./cells.ts";
import { readHead } from "./table.ts";

/** The formats by the names that `--format` takes. */
export const import_formats = ["ndjson", "json", "csv", "wide", "toa5", "arrow"] as const;
export type ImportFormat = typeof import_formats[number];

/** Where to go on once everything before it is stored. */
export type ImportMark = LineStart & Partial<Pick<TableMark, "walls">>;

/** Some rows; their lines count from `line_base` + 1. Tags keep their numbers in all pieces. */
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
  /** Tags whose times were ends of intervals, and became their starts. */
  readonly moved: ReadonlySet<string>;
  /** How a table is understood; null for rows of samples, which say all themselves. */
  readonly layout: Layout | null;
  readonly pieces: (from?: ImportMark) => AsyncIterable<ImportPiece>;
};

/**
 * How to read it. `table` is of the formats `wide` and `toa5`; `sheet` of a spreadsheet,
 * `written_at` of a log.
 */
type ImportOptions = {
  readonly format?: ImportFormat;
  readonly lane: IngestLane;
  readonly sheet?: string;
  readonly written_at?: string;
  /** The most of a file whose format is held as a whole; by default what `table_limits` say. */
  readonly held_bytes?: number;
  readonly table: Omit<TableOptions, "lane">;
};

const media_types = {
  ndjson: "application/x-ndjson",
  json: "application/json",
  csv: "text/csv",
  arrow: "application/vnd.apache.arrow.stream",
} as const;

/** Opens a file, packed or not. Throws a `Fault` when it is of no known format. */
export async function openImport(file: Source, options: ImportOptions): Promise<ImportFile> {
  const { source, packed } = await plainSource(file, options);
  const found = formatOf(await firstBytes(source));
  const format = options.format ?? found;
  const hint = format === found ? "" : `. The file looks like ${found}: leave out --format`;
  if (format === "wide" || format === "toa5") {
    return { ...await openTable(source, options).catch(hinting(hint)), packed };
  }
  const pieces = format === "json" || format === "arrow" ? wholeFile : rowPieces;
  const { lane, held_bytes } = options;
  return {
    ...{ format, packed, layout: null, units: new Map(), moved: new Set() },
    async *pieces(from) {
      try {
        yield* pieces(source, { format, lane, from, held_bytes, tags: new TagIndex() });
      } catch (error) {
        hinting(hint)(error);
      }
    },
  };
}

/** Throws an error again, a refusal with a hint at its end. */
function hinting(hint: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Fault) || hint === "") throw error;
    throw new Fault(error.code, `${error.message}${hint}`);
  };
}

type Reading = {
  readonly format: keyof typeof media_types;
  readonly lane: IngestLane;
  readonly from?: ImportMark;
  readonly held_bytes?: number;
  readonly tags: TagIndex;
};

async function openTable(
  source: Source,
  { lane, table }: ImportOptions,
): Promise<Omit<ImportFile, "packed">> {
  if (lane === "forecast") throw new Fault("invalid", "a table can't be of lane forecast");
  const options = { ...table, lane };
  const layout = layoutOf(await readHead(source), options);
  const { columns, key_at } = layout;
  const named = key_at.length === 0 ? columns : [];
  const units = named.flatMap(({ tag, unit }) => unit === null ? [] : [[tag, unit] as const]);
  return {
    ...{ format: layout.toa5 ? "toa5" : "wide", layout, units: new Map(units) },
    moved: new Set(named.flatMap(({ tag, shift_us }) => shift_us > 0 ? [tag] : [])),
    async *pieces(from) {
      const mark = from && { ...from, walls: from.walls ?? {} };
      for await (const piece of readTable(source, { layout, options }, mark)) {
        yield { ...piece, line_base: 0 };
      }
    },
  };
}

/** A format that can't be cut: all of the file is one body. */
async function* wholeFile(
  source: Source,
  { format, lane, from, held_bytes = Infinity, tags }: Reading,
): AsyncGenerator<ImportPiece, void> {
  if (from && from.offset > 0) return;
  const media_type = media_types[format];
  const bytes = within(source, { held_bytes, what: format === "json" ? "JSON" : "Arrow" });
  const decoded = await decodeSamples(bytes, {
    ...{ media_type, encoding: null, lane, tags },
  });
  yield { decoded, line_base: 0, mark: { offset: Infinity, line: 1 } };
}

/** Rows a line each; a CSV's header is put before every body. */
async function* rowPieces(
  source: Source,
  { format, lane, from, tags }: Reading,
): AsyncGenerator<ImportPiece, void> {
  const header = format === "csv" ? await headerOf(source) : undefined;
  for await (const body of chopRows(source(from?.offset ?? 0), from)) {
    const headed = header !== undefined && body.first_line > 1;
    const decoded = await decodeSamples(bodyOf(headed ? [header] : [], body), {
      ...{ media_type: media_types[format], encoding: null, lane, tags },
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

function formatOf(bytes: Uint8Array): ImportFormat {
  if (bytes.subarray(0, 4).every((byte) => byte === 0xff) && bytes.length >= 4) return "arrow";
  const [text, below = ""] = textOf(bytes).split("\n", 2);
  if (/^"?TOA5"?,/.test(text)) return "toa5";
  if (/^\ufeff?\s*\{/.test(text)) return "ndjson";
  if (/^\ufeff?\s*\[/.test(text)) return "json";
  const names = cellsOf(text);
  const is_rows = names.includes("ts") && (names.includes("tag") || names.includes("sensor_tag"));
  if (!is_rows) return "wide";
  // Rows whose times have no offset are of a zone that a table's reader finds out.
  const is_plain = names.length === 3 && names.includes("value");
  const time = cellsOf(below)[names.indexOf("ts")] ?? "";
  return is_plain && time !== "" && Number.isNaN(instantOf(time)) ? "wide" : "csv";
}

function cellsOf(line: string): readonly string[] {
  const scanner = new CellScanner(",");
  scanner.scan(utf8(`${line.replace(/^\ufeff/, "").trim()}\n`), 0);
  return scanner.texts;
}
