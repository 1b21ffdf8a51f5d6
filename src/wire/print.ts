// How each kind of value is printed as text: what NDJSON, JSON and CSV have in common.
import { limits } from "../base/limits.ts";
import {
  type Chunk,
  isValid,
  type Validity,
  type Vector,
  wordAt,
  type Words,
} from "../model/chunk.ts";
import type { Column } from "../model/column.ts";
import type { Kind } from "../model/kind.ts";
import { InstantText } from "./instant_text.ts";
import { type Fragments, fragmentsFrom, fragmentsOf, TextPiece } from "./text_piece.ts";

/** How one text format writes a row. */
export type Dialect = {
  /** What stands before the first row. */
  readonly head: string;
  /** What stands before the value of each column. */
  readonly before: readonly string[];
  /** What ends a row. */
  readonly after: string;
  /** What stands for no value; NaN and Infinity are none. */
  readonly absent: string;
  /** What stands on both sides of an instant, and of a text that holds none of `special`. */
  readonly mark: string;
  /** 1 for each byte that no text can hold as it is. */
  readonly special: Uint8Array;
  /** A text as it stands in the output. */
  readonly quote: (text: string) => string;
  /** How many times longer than a text it can be when it is quoted. */
  readonly growth: number;
};

/** The table of the bytes of which `isSpecial` is true. */
export function specialBytes(isSpecial: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => isSpecial(byte) ? 1 : 0);
}

/** Prints row `i` of a chunk into the piece, which must have room for `width` bytes. */
export type RowPrinter = { readonly width: number; readonly print: (row: number) => void };

/** Makes the printers of an answer's chunks; what hangs on a dictionary is made once. */
export function printerOf(
  columns: readonly Column[],
  { dialect, piece }: { readonly dialect: Dialect; readonly piece: TextPiece },
): (chunk: Chunk) => RowPrinter {
  const cells = columns.map((_, i) => cellOf(dialect.before[i], { dialect, piece }));
  const after = fragmentsOf([dialect.after]);
  return ({ vectors }) => {
    const steps = vectors.map((vector, i) => stepOf(vector, cells[i]));
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
  /** The same, then whole cells: one for each word of a dictionary. */
  readonly dictionaries: WeakMap<Words, Fragments>;
};

function cellOf(
  before: string,
  { dialect, piece }: { readonly dialect: Dialect; readonly piece: TextPiece },
): Cell {
  const lead = fragmentsOf(leadOf(before, dialect));
  return { piece, dialect, before, lead, dictionaries: new WeakMap() };
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
  readonly codes: Int32Array | undefined;
};

function stepOf(vector: Vector, cell: Cell): Step {
  const { valid } = vector;
  if (vector.kind === "text" && vector.codes) {
    const texts = dictionaryOf(vector.words, cell);
    return { valid, texts, codes: vector.codes, width: texts.longest, print: () => {} };
  }
  const texts = cell.lead;
  const { width, print } = printVector(vector, cell);
  return { valid, texts, codes: undefined, width: width + 2 * texts.longest, print };
}

function dictionaryOf(words: Words, { before, dialect, dictionaries }: Cell): Fragments {
  const known = dictionaries.get(words);
  if (known) return known;
  const piece = new TextPiece(Math.min(limits.piece_bytes, 2 * words.bytes.length));
  const cell = cellOf(before, { dialect, piece });
  const lead = leadOf(before, dialect);
  const { width, print } = printWords({ kind: "text", words }, cell);
  const texts = fragmentsFrom(piece, {
    count: first_word + words.offsets.length - 1,
    width: width + 2 * cell.lead.longest,
    put: (i) => i < first_word ? piece.putText(lead[i]) : print(i - first_word),
  });
  dictionaries.set(words, texts);
  return texts;
}

type Of<K extends Kind> = Extract<Vector, { kind: K }>;
type Print<K extends Kind> = (vector: Of<K>, cell: Cell) => RowPrinter;

/** How each kind is printed where no dictionary holds it; a width counts the value alone. */
const prints: { readonly [K in Kind]: Print<K> } = {
  text: printWords,
  bool: printFlags,
  int32: printNumbers,
  uint32: printNumbers,
  float64: printNumbers,
  int64: printLongs,
  instant: printInstants,
};

function printVector<K extends Kind>(vector: Of<K>, cell: Cell): RowPrinter {
  return (prints[vector.kind] as Print<K>)(vector, cell);
}

function printWords({ words }: Of<"text">, { piece, dialect, lead }: Cell): RowPrinter {
  const { bytes, offsets } = words;
  const { special } = dialect;
  const print = (row: number) => {
    const from = offsets[row];
    const to = offsets[row + 1];
    let at = from;
    while (at < to && special[bytes[at]] === 0) at++;
    if (at < to || from === to) {
      piece.putFragment(lead, opener);
      piece.putText(dialect.quote(wordAt(words, row)));
    } else {
      piece.putFragment(lead, opener_and_mark);
      piece.putBytes(bytes.subarray(from, to));
      piece.putFragment(lead, mark);
    }
  };
  let longest = 0;
  for (let i = 1; i < offsets.length; i++) longest = Math.max(longest, offsets[i] - offsets[i - 1]);
  return { width: longest * dialect.growth + 2, print };
}

function printFlags({ values }: Of<"bool">, { piece, before }: Cell): RowPrinter {
  const texts = fragmentsOf([`${before}false`, `${before}true`]);
  return { width: texts.longest, print: (row) => piece.putFragment(texts, values[row]) };
}

function printNumbers(
  { values }: Of<"float64" | "int32" | "uint32">,
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
function printLongs({ values }: Of<"int64">, { piece, lead }: Cell): RowPrinter {
  const numberAt = numbersOf(values);
  const print = (row: number) => {
    piece.putFragment(lead, opener);
    const value = numberAt(row);
    if (Number.isSafeInteger(value)) piece.putNumber(value);
    else piece.putAscii(String(values[row]));
  };
  return { width: "-9223372036854775808".length, print };
}

function printInstants({ values }: Of<"instant">, { piece, dialect, before }: Cell): RowPrinter {
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
