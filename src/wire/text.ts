// Answers as text, row by row: CSV (RFC 4180), newline-delimited JSON, a JSON array (RFC 8259).
import { concat, textOf, utf8 } from "../base/bytes.ts";
import {
  type Answer,
  type Chunk,
  isValid,
  type Validity,
  type Vector,
  wordAt,
  type Words,
} from "../model/data/chunk.ts";
import {
  fragmentAt,
  type Fragments,
  fragmentsFrom,
  fragmentsOf,
  InstantText,
  TextPiece,
} from "./bytes/text_piece.ts";
import type { Column } from "../model/data/column.ts";
import { body_limits } from "./bytes/limits.ts";
import type { Kind } from "../model/data/kind.ts";

/** The rows of an answer as CSV; the header alone for no rows. */
export function encodeCsv(answer: Answer): AsyncGenerator<Uint8Array, void> {
  return encodeText(answer, csvDialect(answer.columns));
}

/** The rows of an answer as JSON objects, each ended by a line feed; nothing for no rows. */
export function encodeNdjson(answer: Answer): AsyncGenerator<Uint8Array, void> {
  return encodeText(answer, jsonDialect(answer.columns, { open: "{", after: "}\n" }));
}

/** The rows of an answer as one array, a row a line. Without its last bracket it is not whole. */
export async function* encodeJson(answer: Answer): AsyncGenerator<Uint8Array, void> {
  const dialect = jsonDialect(answer.columns, { open: ",\n{", after: "}" });
  let started = false;
  for await (const piece of encodeText(answer, dialect)) {
    // The first row's comma is where the array's bracket belongs.
    if (!started) piece[0] = bracket;
    started = true;
    yield piece;
  }
  yield utf8(started ? "\n]\n" : "[]\n");
}

const bracket = 0x5b;

function csvDialect(columns: readonly Column[]): Dialect {
  return {
    head: `${columns.map(({ name }) => name).join(",")}\r\n`,
    before: columns.map((_, i) => i === 0 ? "" : ","),
    after: "\r\n",
    absent: "",
    mark: "",
    special: specialBytes((byte) => special.includes(String.fromCharCode(byte))),
    first: specialBytes((byte) => formula.test(String.fromCharCode(byte))),
    quote: (text) => quoted(formula.test(text) && !number.test(text) ? `'${text}` : text),
    growth: 2,
  };
}

const special = '",\r\n';

/** How a text begins that a spreadsheet runs as a formula, unless it is a mere negative number. */
const formula = /^[=+\-@\t\r\n]/;
const number = /^-\d+(\.\d+)?(e[+-]?\d+)?$/i;

function quoted(text: string): string {
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The dialect of JSON objects, each between `open` and `after`. */
function jsonDialect(
  columns: readonly Column[],
  { open, after }: { readonly open: string; readonly after: string },
): Dialect {
  return {
    head: "",
    before: columns.map(({ name }, i) => `${i === 0 ? open : ","}${JSON.stringify(name)}:`),
    after,
    absent: "null",
    mark: '"',
    special: specialBytes((byte) => byte < 0x20 || byte === 0x22 || byte === 0x5c),
    first: no_bytes,
    quote: JSON.stringify,
    growth: 6,
    nested: { mark: "", special: no_bytes, first: no_bytes, quote: (text) => text },
  };
}

/** The rows of an answer as UTF-8, behind the dialect's head. */
async function* encodeText(
  answer: Answer,
  dialect: Dialect,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const piece = new TextPiece();
  const head = utf8(dialect.head);
  if (piece.hasRoom(head.length)) piece.putBytes(head);
  const printChunk = printerOf(answer.columns, { dialect, piece });
  for await (const chunk of answer.chunks) {
    const printer = printChunk(chunk);
    for (let row = 0; row < chunk.rows;) {
      row = printRows(printer, { from: row, to: chunk.rows, piece });
      if (row < chunk.rows) yield piece.take();
    }
  }
  if (piece.length > 0) yield piece.take();
}

/** Prints rows until the piece is full; gives the first row that was not printed. */
function printRows(
  { width, print }: RowPrinter,
  { from, to, piece }: { from: number; to: number; piece: TextPiece },
): number {
  for (let row = from; row < to; row++) {
    if (!piece.hasRoom(width)) return row;
    print(row);
  }
  return to;
}

/** How one text format writes a row. */
type Dialect = {
  /** What stands before the first row. */
  readonly head: string;
  /** What stands before the value of each column. */
  readonly before: readonly string[];
  /** What ends a row. */
  readonly after: string;
  /** What stands for no value; NaN and Infinity are none. */
  readonly absent: string;
  /** What stands on both sides of an instant, and of a text that needs no quoting. */
  readonly mark: string;
  /** 1 for each byte that no text can hold as it is. */
  readonly special: Uint8Array;
  /** The same of those that it can't begin with. */
  readonly first: Uint8Array;
  /** A text as it stands in the output. */
  readonly quote: (text: string) => string;
  /** How many times longer than a text it can be when it is quoted. */
  readonly growth: number;
  /** How a text that holds JSON is written, where it differs from other text. */
  readonly nested?: Pick<Dialect, "mark" | "special" | "first" | "quote">;
};

/** The table of the bytes of which `isSpecial` is true. */
function specialBytes(isSpecial: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => isSpecial(byte) ? 1 : 0);
}

const no_bytes = specialBytes(() => false);

/** Prints row `i` of a chunk into the piece, which must have room for `width` bytes. */
type RowPrinter = { readonly width: number; readonly print: (row: number) => void };

/** Makes the printers of an answer's chunks; what depends on a dictionary is made once. */
function printerOf(
  columns: readonly Column[],
  { dialect, piece }: { readonly dialect: Dialect; readonly piece: TextPiece },
): (chunk: Chunk) => RowPrinter {
  const cells = columns.map(({ json }, i) =>
    cellOf(dialect.before[i], {
      dialect: json ? { ...dialect, ...dialect.nested } : dialect,
      piece,
    })
  );
  const after = fragmentsOf([dialect.after]);
  return ({ rows, vectors }) => {
    const steps = joined(vectors.map((vector, i) => stepOf(vector, cells[i])), { rows, piece });
    const print = (row: number) => {
      for (let i = 0; i < steps.length; i++) {
        const { valid, texts, codes, print } = steps[i];
        if (!isValid(valid, row)) piece.putFragment(texts, absent);
        else if (codes) piece.putFragment(texts, first_word + codes[row]);
        else print(row);
      }
      piece.putFragment(after, 0);
    };
    return { width: steps.reduce((sum, step) => sum + step.width, after.longest), print };
  };
}

/** What one column's cells have in common over all chunks. */
type Cell = {
  readonly piece: TextPiece;
  readonly dialect: Dialect;
  readonly before: string;
  /** What opens a cell, at the places named below. */
  readonly lead: Fragments;
  /** The same, then both flags. */
  readonly flags: Fragments;
  /** The same, then whole cells: one for each word of a dictionary. */
  readonly dictionaries: WeakMap<Words, Fragments>;
};

function cellOf(
  before: string,
  { dialect, piece }: { readonly dialect: Dialect; readonly piece: TextPiece },
): Cell {
  const texts = leadOf(before, dialect);
  const lead = fragmentsOf(texts);
  const flags = fragmentsOf([...texts, `${before}false`, `${before}true`]);
  return { piece, dialect, before, lead, flags, dictionaries: new WeakMap() };
}

function leadOf(before: string, { absent, mark }: Dialect): readonly string[] {
  return [before, before + absent, before + mark, mark];
}

/** Places in a cell's fragments. */
const opener = 0;
const absent = 1;
const opener_and_mark = 2;
const mark = 3;
const first_word = 4;

/** One column's part in printing a row: a whole cell by its code, or by a printer of its own. */
type Step = RowPrinter & {
  readonly valid: Validity | undefined;
  readonly texts: Fragments;
  readonly codes: Int32Array | Uint8Array | undefined;
};

/**
 * The steps, but one for all neighbours that print the same in every row: much of a signal page is
 * nulls and words that never change, and a tenth of its time goes away with them.
 */
function joined(
  steps: readonly Step[],
  { rows, piece }: { readonly rows: number; readonly piece: TextPiece },
): Step[] {
  const out: Step[] = [];
  let same: Uint8Array[] = [];
  const close = () => {
    if (same.length === 0) return;
    const texts = fragmentsOf([textOf(concat(same))]);
    const print = () => piece.putFragment(texts, 0);
    out.push({ valid: undefined, texts, codes: undefined, width: texts.longest, print });
    same = [];
  };
  for (const step of steps) {
    const place = onlyPlace(step, rows);
    if (place === undefined) {
      close();
      out.push(step);
    } else same.push(fragmentAt(step.texts, place));
  }
  close();
  return out;
}

/** The fragment that a step prints in every row, if there is one. */
function onlyPlace({ valid, codes }: Step, rows: number): number | undefined {
  if (valid?.every((byte) => byte === 0)) return absent;
  if (codes === undefined || rows === 0) return undefined;
  if (valid && !allValid(valid, rows)) return undefined;
  const [first] = codes;
  for (let row = 1; row < rows; row++) if (codes[row] !== first) return undefined;
  return first_word + first;
}

function allValid(valid: Validity, rows: number): boolean {
  for (let row = 0; row < rows; row++) if (!isValid(valid, row)) return false;
  return true;
}

function stepOf<K extends Kind>(vector: Of<K>, cell: Cell): Step {
  const { texts, codes, width, print } = (ways[vector.kind] as WayOf<K>)(vector, cell);
  return { valid: vector.valid, texts, codes, width: width + 2 * cell.lead.longest, print };
}

/** How the values of one vector are printed. */
type Way = Omit<Step, "valid">;
type Of<K extends Kind> = Extract<Vector, { kind: K }>;
type WayOf<K extends Kind> = (vector: Of<K>, cell: Cell) => Way;

const ways: { readonly [K in Kind]: WayOf<K> } = {
  text: (vector, cell) =>
    vector.codes
      ? byCode(dictionaryOf(vector.words, cell), vector.codes)
      : byPrinter(printWords(vector.words, cell), cell),
  bool: ({ values }, cell) => byCode(cell.flags, values),
  int32: ({ values }, cell) => byPrinter(printNumbers(values, cell), cell),
  uint32: ({ values }, cell) => byPrinter(printNumbers(values, cell), cell),
  float64: ({ values }, cell) => byPrinter(printNumbers(values, cell), cell),
  int64: ({ values }, cell) => byPrinter(printLongs(values, cell), cell),
  instant: ({ values }, cell) => byPrinter(printInstants(values, cell), cell),
};

function byCode(texts: Fragments, codes: Int32Array | Uint8Array): Way {
  return { texts, codes, width: texts.longest, print: () => {} };
}

function byPrinter({ width, print }: RowPrinter, { lead }: Cell): Way {
  return { texts: lead, codes: undefined, width, print };
}

function dictionaryOf(words: Words, { before, dialect, dictionaries }: Cell): Fragments {
  const known = dictionaries.get(words);
  if (known) return known;
  const piece = new TextPiece(Math.min(body_limits.piece_bytes, 2 * words.bytes.length));
  const cell = cellOf(before, { dialect, piece });
  const lead = leadOf(before, dialect);
  const { width, print } = printWords(words, cell);
  const texts = fragmentsFrom(piece, {
    count: first_word + words.offsets.length - 1,
    width: width + 2 * cell.lead.longest,
    put: (i) => i < first_word ? piece.putText(lead[i]) : print(i - first_word),
  });
  dictionaries.set(words, texts);
  return texts;
}

function printWords(words: Words, { piece, dialect, lead }: Cell): RowPrinter {
  const { bytes, offsets } = words;
  const { special, first } = dialect;
  const print = (row: number) => {
    const from = offsets[row];
    const to = offsets[row + 1];
    if (from < to && first[bytes[from]] === 0) {
      const before = piece.length;
      piece.putFragment(lead, opener_and_mark);
      if (piece.putPlain(bytes, { from, to, special })) return piece.putFragment(lead, mark);
      piece.cut(before);
    }
    piece.putFragment(lead, opener);
    piece.putText(dialect.quote(wordAt(words, row)));
  };
  let longest = 0;
  for (let i = 1; i < offsets.length; i++) longest = Math.max(longest, offsets[i] - offsets[i - 1]);
  return { width: longest * dialect.growth + 2, print };
}

function printNumbers(
  values: Float64Array | Int32Array | Uint32Array,
  { piece, lead }: Cell,
): RowPrinter {
  const print = (row: number) => {
    const value = values[row];
    if (!Number.isFinite(value)) return piece.putFragment(lead, absent);
    piece.putFragment(lead, opener);
    piece.putNumber(value);
  };
  return { width: "-2.2250738585072014e-308".length, print };
}

/** Int64 read as two halves: what a number holds exactly needs no BigInt. */
function printLongs(values: BigInt64Array, { piece, lead }: Cell): RowPrinter {
  const numberAt = numbersOf(values);
  const print = (row: number) => {
    piece.putFragment(lead, opener);
    const value = numberAt(row);
    if (Number.isSafeInteger(value)) piece.putNumber(value);
    else piece.putAscii(String(values[row]));
  };
  return { width: "-9223372036854775808".length, print };
}

function printInstants(values: BigInt64Array, { piece, dialect, before }: Cell): RowPrinter {
  const numberAt = numbersOf(values);
  const text = new InstantText(before + dialect.mark, dialect.mark);
  const print = (row: number) => piece.putFragment(text.of(numberAt(row)), 0);
  return { width: "+275760-09-13T00:00:00.000000Z".length, print };
}

/** The nearest number to each Int64. */
function numbersOf({ buffer, byteOffset, length }: BigInt64Array): (row: number) => number {
  const low = new Uint32Array(buffer, byteOffset, 2 * length);
  const high = new Int32Array(buffer, byteOffset, 2 * length);
  return (row) => high[2 * row + 1] * 2 ** 32 + low[2 * row];
}
