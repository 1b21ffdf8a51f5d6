// Answers of every kind of column for the encoders' tests, and readers that are not ours.
import { parquetMetadata, parquetRead } from "hyparquet";
import { Table, writeParquet } from "parquet-wasm";
import { zstdDecompressSync } from "node:zlib";
import { concat } from "../../src/base/bytes.ts";
import {
  type Answer,
  type Chunk,
  noneValid,
  setValid,
  type Validity,
  type Vector,
  wordsOf,
} from "../../src/model/data/chunk.ts";
import type { Column } from "../../src/model/data/column.ts";
import type { Kind } from "../../src/model/data/kind.ts";
import { Database } from "../../src/store/database.ts";
import { type Format, formats } from "../../src/wire/format.ts";
import { fakeEffects } from "../help/effects.ts";
import { queryRows } from "../help/query.ts";

/** A value as every reader here gives it: instants as microseconds. */
export type Cell = string | number | bigint | boolean | null;

const kinds: readonly Kind[] = ["text", "float64", "int64", "int32", "uint32", "bool", "instant"];

/** The number of the row, then every kind, each with and without nulls, and texts by dictionary. */
export const every_column: readonly Column[] = [
  { name: "n", kind: "int32", nullable: false, doc: "The row's number." },
  ...kinds.flatMap((kind) => [
    { name: kind, kind, nullable: false, doc: `A ${kind}.`, unit: "W" },
    { name: `${kind}_null`, kind, nullable: true, doc: `A ${kind} or null.` },
  ]),
  { name: "word", kind: "text", nullable: false, dictionary: true, doc: "A word." },
  { name: "word_null", kind: "text", nullable: true, dictionary: true, doc: "A word or null." },
  { name: "one", kind: "text", nullable: false, dictionary: "constant", doc: "The same word." },
  {
    ...{ name: "fixed", kind: "text", nullable: true, dictionary: true, doc: "One of a few." },
    values: ["null", "plain", "INV-1"],
  },
];

const texts = [
  "",
  "null",
  "plain",
  " blank ",
  'a "quoted" one',
  "back\\slash",
  "a,b;c",
  "two\nlines",
  "carriage\r\nreturn",
  "tab\tbell\u0007",
  "Grüße 日本語 🌞\u2028",
  "x".repeat(70),
];
const words = [...texts, ...Array.from({ length: 700 }, (_, i) => `INV-${i}`)];
const float_max = 1.7976931348623157e308;
const floats = [0, -1.5, 0.1, 1 / 3, 1e21, 5e-324, float_max, -123456.789, 2 ** 53, 7, 0.001, 1e-7];
const longs = [0n, 1n, -1n, 2n ** 53n + 1n, -(2n ** 63n), 2n ** 63n - 1n, 42n];
const instants = [
  0n,
  -1n,
  1795237200123456n,
  1795237200123457n,
  1795237260000000n,
  4102444799999999n,
];

const samples: { readonly [K in Kind]: readonly Cell[] } = {
  text: texts,
  float64: floats,
  int64: longs,
  instant: instants,
  int32: [0, -5, 2 ** 31 - 1, -(2 ** 31)],
  uint32: [0, 2 ** 32 - 1, 0x80000000],
  bool: [true, false, true],
};

/** `rows` rows of `every_column`, by column. */
export function everyCell(rows: number): Cell[][] {
  return every_column.map(({ name, kind, nullable, dictionary, values }) =>
    Array.from({ length: rows }, (_, row) => {
      if (name === "n") return row;
      if (nullable && !hasValue(row)) return null;
      if (dictionary === "constant") return words[4];
      if (values) return values[row % values.length];
      // A run of one word now and then, else words in turn.
      if (dictionary) return row % 1000 < 40 ? words[3] : words[row * 7 % words.length];
      return samples[kind][row % samples[kind].length];
    })
  );
}

/** Mixed rows, then rows that all have a value, then rows that have none, and so on. */
function hasValue(row: number): boolean {
  const stretch = Math.floor(row / 500) % 3;
  return stretch === 1 || stretch === 0 && Math.imul(row, 0x9e3779b1) >>> 30 !== 0;
}

/** Cells by column as chunks of the sizes given. */
export function chunksOf(
  columns: readonly Column[],
  cells: readonly (readonly Cell[])[],
  sizes: readonly number[],
): Chunk[] {
  const dictionaries = cells.map((
    column,
  ) => [...new Set(column.map((cell) => String(cell ?? "")))]);
  const shared = dictionaries.map(wordsOf);
  const codes = dictionaries.map((texts) => new Map(texts.map((text, code) => [text, code])));
  let from = 0;
  return sizes.map((rows) => {
    const vectors = columns.map((column, c): Vector => {
      const part = cells[c].slice(from, from + rows);
      const valid = validOf(part);
      if (!column.dictionary) return vectorOf(column.kind, part, valid);
      const own = part.map((cell) => codes[c].get(String(cell ?? ""))!);
      return { kind: "text", codes: Int32Array.from(own), words: shared[c], valid };
    });
    from += rows;
    return { rows, vectors };
  });
}

/** Sizes that make up `rows`, each of at most `chunk_rows`. */
export function sizesOf(rows: number, chunk_rows: number): number[] {
  const count = Math.ceil(rows / chunk_rows);
  return Array.from({ length: count }, (_, i) => Math.min(chunk_rows, rows - i * chunk_rows));
}

function validOf(cells: readonly Cell[]): Validity | undefined {
  if (!cells.includes(null)) return undefined;
  const valid = noneValid(cells.length);
  cells.forEach((cell, i) => cell !== null && setValid(valid, i));
  return valid;
}

function vectorOf(kind: Kind, cells: readonly Cell[], valid: Validity | undefined): Vector {
  if (kind === "text") {
    return { kind, words: wordsOf(cells.map((cell) => String(cell ?? ""))), valid };
  }
  if (kind === "int64" || kind === "instant") {
    return { kind, values: BigInt64Array.from(cells, (cell) => BigInt(cell ?? 0)), valid };
  }
  const values = new arrays[kind](cells.map(Number));
  return { kind, values, valid } as Vector;
}

const arrays = {
  float64: Float64Array,
  int32: Int32Array,
  uint32: Uint32Array,
  bool: Uint8Array,
} as const;

/** An answer of some chunks. */
export function answerOf(columns: readonly Column[], chunks: readonly Chunk[]): Answer {
  return {
    columns,
    metadata: { site_timezone: "America/Denver", note: "Grüße" },
    chunks: ReadableStream.from(chunks),
  };
}

/** The bytes of an answer, and the sizes of the pieces they came in. */
export async function bytesOf(answer: Answer, format: Format) {
  const pieces = await Array.fromAsync(formats[format].encode(answer));
  return { bytes: concat(pieces), sizes: pieces.map((piece) => piece.length) };
}

/** An Arrow stream read by arrow-rs, which hands it on as Parquet. */
export function readArrow(bytes: Uint8Array, columns: readonly Column[]): Promise<Cell[][]> {
  return readParquet(writeParquet(Table.fromIPCStream(bytes)).slice(), columns);
}

/** A Parquet file read by hyparquet. */
export async function readParquet(
  bytes: Uint8Array<ArrayBuffer>,
  columns: readonly Column[],
): Promise<Cell[][]> {
  const cells = new Map(columns.map(({ name }) => [name, [] as Cell[]]));
  const metadata = parquetMetadata(bytes.buffer as ArrayBuffer);
  await parquetRead({
    file: { byteLength: bytes.length, slice: (from, to) => bytes.slice(from, to).buffer },
    metadata,
    compressors: { ZSTD: (page) => zstdDecompressSync(page) },
    parsers: { timestampFromMicroseconds: (at_us: bigint) => at_us },
    onChunk: ({ columnName, columnData, rowStart }) => {
      const column = cells.get(columnName)!;
      for (let i = 0; i < columnData.length; i++) column[rowStart + i] = columnData[i] ?? null;
    },
  });
  return [...cells.values()];
}

/**
 * A text format of `every_column` read by DuckDB and compared there with a Parquet file: how many
 * rows it has, how many of them equal the file's of the same `n`, and the first that does not.
 */
export async function compareText(
  bytes: Uint8Array,
  { format, parquet }: { readonly format: TextFormat; readonly parquet: Uint8Array },
): Promise<Comparison> {
  const folder = await Deno.makeTempDir();
  const paths = { path: `${folder}/text`, parquet: `${folder}/parquet` };
  const database = await Database.open({ path: ":memory:", effects: fakeEffects().effects });
  try {
    await Deno.writeFile(paths.path, bytes);
    await Deno.writeFile(paths.parquet, parquet);
    const sql = comparison.replace("text_rows", text_reads[format]);
    const [found] = await database.read((connection) =>
      queryRows<Comparison>(connection, sql, paths)
    );
    return found;
  } finally {
    await database.close();
    await Deno.remove(folder, { recursive: true });
  }
}

export type Comparison = { rows: number; equal: number; differing: number | null };
export type TextFormat = "ndjson" | "json" | "csv";

const comparison = `SELECT
    count(*) AS rows,
    count(*) FILTER (WHERE hash(found) = hash(wanted)) AS equal,
    min(found.n) FILTER (WHERE hash(found) IS DISTINCT FROM hash(wanted)) AS differing
  FROM text_rows AS found
  LEFT JOIN read_parquet($parquet) AS wanted ON wanted.n = found.n`;
const text_columns = `{
  n: 'INTEGER', text: 'VARCHAR', text_null: 'VARCHAR', float64: 'DOUBLE', float64_null: 'DOUBLE',
  int64: 'BIGINT', int64_null: 'BIGINT', int32: 'INTEGER', int32_null: 'INTEGER',
  uint32: 'UINTEGER', uint32_null: 'UINTEGER', bool: 'BOOLEAN', bool_null: 'BOOLEAN',
  instant: 'TIMESTAMPTZ', instant_null: 'TIMESTAMPTZ', word: 'VARCHAR', word_null: 'VARCHAR',
  one: 'VARCHAR', fixed: 'VARCHAR'
}`;
const text_reads: { readonly [F in TextFormat]: string } = {
  ndjson: `read_json($path, format = 'newline_delimited', columns = ${text_columns})`,
  json: `read_json($path, format = 'array', columns = ${text_columns})`,
  csv: `read_csv($path, header = true, delim = ',', quote = '"', escape = '"', nullstr = '',
    allow_quoted_nulls = false, new_line = '\\r\\n', parallel = false, columns = ${text_columns})`,
};
