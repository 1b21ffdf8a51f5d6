// A file's bytes as plain lines: out of gzip, of UTF-16, of a sheet of an XLSX file.
import type { unzipSync } from "fflate";
import { concat, utf8 } from "../../base/bytes.ts";
import { meant } from "../../base/did_you_mean.ts";
import { Fault } from "../../base/fault.ts";
import { asciiAt } from "../bytes/number.ts";
import { body_limits } from "../bytes/limits.ts";
import { rewriteOf, rewritten } from "./known_text.ts";
import { table_limits } from "./limits.ts";
import type { Source } from "./options.ts";
import { importRefusal } from "./refusal.ts";

/** So much of a file tells what it is. */
const magic_bytes = 32;

/** A file's content, and whether its offsets are other ones than the file's. */
type PlainSource = { readonly source: Source; readonly packed: boolean };

/** What files are that can't be read, by their first characters, and what helps. */
const strange_files: readonly {
  readonly begins: readonly string[];
  readonly name: "parquet" | "arrow_file" | "archive" | "old_sheet" | "pdf" | "web_page";
  readonly what: string;
}[] = [
  {
    begins: ["PAR1"],
    name: "parquet",
    what: "Parquet, an archive or the like: save it as CSV, NDJSON or an Arrow stream",
  },
  { begins: ["ARROW1"], name: "arrow_file", what: "an Arrow file: save it as an Arrow stream" },
  {
    begins: ["\x28\xb5\x2f\xfd", "BZh", "7z\xbc", "\xfd7zXZ", "Rar!"],
    name: "archive",
    what: "an archive: unpack it",
  },
  {
    begins: ["\xd0\xcf\x11\xe0"],
    name: "old_sheet",
    what: "a spreadsheet of old (.xls): save it as XLSX or CSV",
  },
  { begins: ["%PDF"], name: "pdf", what: "a PDF: export the data as CSV or XLSX" },
  {
    begins: ["<!doctype", "<html", "<?xml", "<svg"],
    name: "web_page",
    what:
      "a page of the web or XML, such as a portal shows where one is not signed in: export it " +
      "again as CSV or XLSX",
  },
];

/** What a person said of a file. */
type SaidOfFile = {
  readonly sheet?: string;
  readonly held_bytes?: number;
  readonly written_at?: string;
};

/**
 * The content of a file: gzip is unpacked, UTF-16 becomes UTF-8, line ends become line feeds, the
 * sheet of an XLSX file and the text of a known logger become rows with tabs. `sheet` names the one
 * of several, `written_at` is when a log was written. A `Fault` where it is damaged, of a form that
 * can't be read, or a spreadsheet of over `held_bytes`.
 */
export async function plainSource(file: Source, said: SaidOfFile = {}): Promise<PlainSource> {
  const plain = await unpackedSource(file, said);
  const rewrite = await rewriteOf(plain.source, said);
  if (rewrite === undefined) return plain;
  return { source: resumable(() => rewritten(plain.source(0), rewrite)), packed: true };
}

async function unpackedSource(
  file: Source,
  { sheet, held_bytes = table_limits.sheet_file_bytes }: SaidOfFile,
): Promise<PlainSource> {
  const first = await firstBytes(file);
  if (first[0] === 0x1f && first[1] === 0x8b) {
    const unpacked = resumable(() => gunzip(file));
    return { ...await unpackedSource(unpacked, { sheet, held_bytes }), packed: true };
  }
  const magic = asciiAt(first, { start: 0, end: Math.min(magic_bytes, first.length) });
  if (magic.startsWith("PK\x03\x04")) {
    const lines = await sheetLines(await wholeOf(file, held_bytes), { sheet, held_bytes });
    return { source: resumable(() => onceOf(lines)), packed: true };
  }
  const begin = magic.replace(/^\xef\xbb\xbf/, "").trimStart().toLowerCase();
  const strange = strange_files.find(({ begins }) =>
    begins.some((it) => begin.startsWith(it.toLowerCase()))
  );
  if (strange) {
    const { name, what } = strange;
    throw importRefusal(`the file is ${what}`, { name, values: {} });
  }
  if (sheet !== undefined) {
    throw new Fault("invalid", "the file is no spreadsheet, and has no sheets: leave out --sheet");
  }
  const encoding = wideEncoding(first);
  if (encoding) return { source: resumable(() => recoded(file, encoding)), packed: true };
  // Line ends of old: none of these is a line feed.
  if (first.includes(0x0d) && !first.includes(0x0a) && first.length > 1) {
    return { source: (offset) => withFeeds(file(offset)), packed: false };
  }
  return { source: file, packed: false };
}

/** The first bytes of a file, two lines of them at least or `body_limits.ingest_line_bytes`. */
export async function firstBytes(source: Source): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  let feeds = 0;
  for await (const part of source(0)) {
    parts.push(part);
    size += part.length;
    for (let at = 0; feeds < 2 && (at = part.indexOf(0x0a, at) + 1) > 0;) feeds++;
    if (feeds === 2 || size > body_limits.ingest_line_bytes) break;
  }
  return concat(parts);
}

/** A content that is made from its start each time, and skipped up to an offset. */
function resumable(make: () => AsyncIterable<Uint8Array>): Source {
  return async function* (offset) {
    let at = 0;
    for await (const part of make()) {
      const skip = Math.max(0, offset - at);
      at += part.length;
      if (skip < part.length) yield part.subarray(skip);
    }
  };
}

async function* onceOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  const { length } = bytes;
  for (let at = 0; at < length; at += body_limits.piece_bytes) {
    yield await Promise.resolve(bytes.subarray(at, Math.min(length, at + body_limits.piece_bytes)));
  }
}

async function wholeOf(source: Source, held_bytes: number): Promise<Uint8Array> {
  return concat(await Array.fromAsync(within(source, { held_bytes, what: "a spreadsheet" })));
}

/** All of a content that is held as a whole; a `Fault` (too_large) where it is over its bound. */
export async function* within(
  source: Source,
  { held_bytes, what }: { readonly held_bytes: number; readonly what: string },
): AsyncGenerator<Uint8Array, void> {
  let size = 0;
  for await (const part of source(0)) {
    size += part.length;
    if (size > held_bytes) {
      const most = `${Math.floor(held_bytes / 1024 / 1024)} MiB`;
      throw new Fault("too_large", `${what} of over ${most} is not read: save it as CSV`);
    }
    yield part;
  }
}

async function* gunzip(source: Source): AsyncGenerator<Uint8Array, void> {
  const gunzip = new DecompressionStream("gzip") as TransformStream<Uint8Array, Uint8Array>;
  const content = ReadableStream.from(source(0)).pipeThrough(gunzip);
  try {
    for await (const part of content) yield part;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Fault("invalid", `the gzip file is damaged or cut short: ${error.message}`);
  }
}

/** By a mark of byte order, or zeros beside ASCII letters. */
function wideEncoding(first: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (first[0] === 0xff && first[1] === 0xfe && first[2] !== 0xff) return "utf-16le";
  if (first[0] === 0xfe && first[1] === 0xff) return "utf-16be";
  const looked = first.subarray(0, 64);
  if (looked.length < 8) return undefined;
  const zeros = (odd: number) => looked.every((byte, i) => i % 2 !== odd || byte === 0);
  if (zeros(1)) return "utf-16le";
  return zeros(0) ? "utf-16be" : undefined;
}

async function* recoded(
  source: Source,
  encoding: "utf-16le" | "utf-16be",
): AsyncGenerator<Uint8Array, void> {
  const decoder = new TextDecoder(encoding);
  for await (const part of source(0)) {
    const text = decoder.decode(part, { stream: true });
    if (text !== "") yield utf8(text);
  }
  const rest = decoder.decode();
  if (rest !== "") yield utf8(rest);
}

async function* withFeeds(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for await (const part of body) yield part.map((byte) => byte === 0x0d ? 0x0a : byte);
}

type Cell = string | number | boolean | Date | null;
type Sheet = { readonly sheet: string; readonly data: readonly (readonly Cell[])[] };

/**
 * The rows of a workbook's sheet, or of its only one with more than a row. A `Fault` where there
 * are several and none is named, where the file is damaged or holds over
 * what its content may have.
 */
async function sheetLines(
  file: Uint8Array,
  { sheet, held_bytes }: { readonly sheet?: string; readonly held_bytes: number },
): Promise<Uint8Array> {
  const sheets = await sheetsOf(file, held_bytes * table_limits.sheet_content_factor);
  const { data } = pick(sheets, sheet);
  const width = Math.max(0, ...data.map((row) => row.length));
  const lines = data.map((row) =>
    Array.from({ length: width }, (_, at) => textOf(row[at] ?? null)).join("\t")
  );
  return utf8(lines.map((line) => `${line}\n`).join(""));
}

async function sheetsOf(
  file: Uint8Array,
  content_bytes: number,
): Promise<readonly Sheet[]> {
  // These packages take long to load, and a start has no use for them.
  const { unzipSync, zipSync } = await import("fflate");
  const { default: readWorkbook } = await import("read-excel-file/universal");
  try {
    const stored = zipSync(contentOf(file, { unzip: unzipSync, content_bytes }), { level: 0 });
    const { buffer, byteOffset, byteLength } = stored;
    const bytes = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
    return await readWorkbook(bytes) as unknown as readonly Sheet[];
  } catch (error) {
    if (error instanceof Fault) throw error;
    const { message } = error as Error;
    throw new Fault("invalid", `the file is an archive, and no XLSX that can be read: ${message}`);
  }
}

/** The parts of the archive; how large they become is checked before they are unpacked. */
function contentOf(
  file: Uint8Array,
  { unzip, content_bytes }: {
    readonly unzip: typeof unzipSync;
    readonly content_bytes: number;
  },
): Record<string, Uint8Array> {
  let left = content_bytes;
  const parts = unzip(file, {
    filter({ name, originalSize }) {
      if (!/\.(xml|rels)$/.test(name)) return false;
      left -= originalSize;
      if (left >= 0) return true;
      const most = content_bytes / 1024 / 1024;
      throw new Fault("too_large", `the spreadsheet holds over ${most} MiB: save it as CSV`);
    },
  });
  if (!("xl/workbook.xml" in parts)) {
    throw new Fault("unsupported_media", "the file is an archive and no XLSX: unpack it");
  }
  return parts;
}

function pick(sheets: readonly Sheet[], wanted: string | undefined): Sheet {
  const names = sheets.map(({ sheet }) => sheet);
  if (wanted !== undefined) {
    const found = sheets.find(({ sheet }) => sheet === wanted);
    if (found) return found;
    throw new Fault(
      "invalid",
      `the file has no sheet ${wanted}${meant(wanted, names)}: it has ${names.join(", ")}`,
    );
  }
  const filled = sheets.filter(({ data }) => data.length > 1);
  if (filled.length === 1) return filled[0];
  if (filled.length === 0) {
    throw importRefusal("no sheet of the file has a row below its header", {
      name: "no_rows",
      values: {},
    });
  }
  const all = names.join(", ");
  const sentence = `several sheets have rows: say which one with --sheet, of ${all}`;
  throw importRefusal(sentence, { name: "sheets", values: { names: all } });
}

/** A cell as text; a date as it is shown, to the millisecond. */
function textOf(cell: Cell): string {
  if (cell === null) return "";
  if (cell instanceof Date) return dateText(cell);
  // Three decimals of a number must not look like thousands apart.
  if (typeof cell === "number") return String(cell).replace(/^-?\d+\.\d{3}$/, (it) => `${it}0`);
  if (typeof cell !== "string") return String(cell);
  // What would end a cell or a row, or begin a quote, can't be in a name nor in a value.
  const plain = cell.replaceAll(/[\t\r\n]+/g, " ");
  return plain.startsWith('"') ? `"${plain.replaceAll('"', '""')}"` : plain;
}

function dateText(date: Date): string {
  if (Number.isNaN(date.getTime())) return "";
  const ms = date.getTime();
  // A day's part is a binary fraction: what is a thousandth off a second is that second.
  const second_ms = Math.round(ms / 1000) * 1000;
  const exact = Math.abs(second_ms - ms) <= 2 ? new Date(second_ms) : date;
  const iso = exact.toISOString().replace("T", " ").replace(/(\.000)?Z$/, "");
  // A time of day is a part of the day before all others.
  return iso.startsWith("1899-12-3") || iso.startsWith("1900-01-00") ? iso.slice(11) : iso;
}
