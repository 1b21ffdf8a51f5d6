// One column of an answer as texts in a store: where the text of each row's cell stands.
import {
  finiteVector,
  halvesOf,
  hasAll,
  hasAny,
  int64At,
  isValid,
  type Validity,
  type Vector,
  wordAt,
  type Words,
  wordsOf,
} from "../model/data/chunk.ts";
import { instant_width } from "./bytes/text_instant.ts";
import { number_width } from "./bytes/text_number.ts";
import type { Place } from "./bytes/text_piece.ts";
import { type Text, TextStore } from "./bytes/text_store.ts";
import type { TextTable } from "./bytes/text_table.ts";

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
  /** What stands on both sides of an instant and of a text. */
  readonly mark: string;
  /** 1 for each byte that no text can hold as it is. */
  readonly special: Uint8Array;
  /** The same of those that it can't begin with. */
  readonly first: Uint8Array;
  /** A text that can't stand as it is, between its marks. */
  readonly quote: (text: string) => string;
  /** How a text that holds JSON is written, where it differs from other text. */
  readonly nested?: Pick<Dialect, "mark" | "special" | "first">;
};

/** A part of a row: the same text in each row of a chunk, or one that differs. */
export type RowPart = Text | Varying;

/** Writes where the texts of some rows stand; gives the bytes that none is longer than. */
export type Varying = (place: Place) => number;

type PartOptions = { readonly rows: number; readonly tables: Tables };

/** Where the numbers and the instants stand that were met last. */
export type Tables = { readonly numbers: TextTable; readonly instants: TextTable };

type FixedVector = Exclude<Vector, { kind: "text" }>;

/** The cells of a dictionary's words, behind them that of no value: where each begins, the end. */
type Cells = {
  readonly starts: Int32Array;
  /** The bytes that none is longer than. */
  readonly width: number;
};

/** Puts a text into a store. */
export function put(store: TextStore, text: string): Text {
  const from = store.length;
  store.putText(text);
  return { from, to: store.length };
}

const nothing: Text = { from: 0, to: 0 };

/** What flags are codes of. */
const flags = wordsOf(["false", "true"]);

/** The texts of one column's cells. */
export class ColumnTexts {
  readonly #store: TextStore;
  readonly #dialect: Dialect;
  /** What stands before a value, before one between marks, and in place of either. */
  readonly #bare: Text;
  readonly #marked: Text;
  readonly #none: Text;
  readonly #mark: Text;
  /** What stands for an empty text between its marks. */
  readonly #empty: string;
  readonly #dictionaries = new WeakMap<Words, Cells>();

  constructor(
    store: TextStore,
    { before, dialect }: { readonly before: string; readonly dialect: Dialect },
  ) {
    this.#store = store;
    this.#dialect = dialect;
    this.#none = put(store, before + dialect.absent);
    this.#marked = put(store, before + dialect.mark);
    this.#bare = { from: this.#none.from, to: this.#none.to - dialect.absent.length };
    this.#mark = { from: this.#marked.to - dialect.mark.length, to: this.#marked.to };
    this.#empty = dialect.quote("");
  }

  /** Puts the cells of a dictionary that is new. */
  learn(vector: Vector): void {
    const words = dictionaryOf(vector);
    if (words === undefined || this.#dictionaries.has(words)) return;
    const store = this.#store;
    const [lead, mark] = words === flags ? [this.#bare, nothing] : [this.#marked, this.#mark];
    const { bytes, offsets } = words;
    const plain = new TextStore();
    plain.putBytes(bytes);
    const count = offsets.length - 1;
    const starts = new Int32Array(count + 2);
    for (let i = 0; i < count; i++) {
      starts[i] = store.length;
      store.repeat(lead);
      const other = this.#otherText(words, i);
      if (other !== undefined) store.putText(other);
      else store.repeat({ from: offsets[i], to: offsets[i + 1] }, plain);
      store.repeat(mark);
    }
    starts[count] = store.length;
    store.repeat(this.#none);
    starts[count + 1] = store.length;
    const width = starts.reduce(
      (most, it, i) => Math.max(most, it - starts[Math.max(0, i - 1)]),
      0,
    );
    this.#dictionaries.set(words, { starts, width });
  }

  /** The parts of a vector's cells; its dictionary was learnt. */
  partsOf(vector: Vector, { rows, tables }: PartOptions): readonly RowPart[] {
    if (!hasAny(vector, rows)) return [this.#none];
    const given = finiteOf(vector, rows);
    const valid = hasAll(given, rows) ? undefined : given.valid;
    const dictionary = dictionaryOf(vector);
    if (dictionary) {
      const codes = vector.kind === "text" ? vector.codes! : vector.values as Uint8Array;
      return [codedPart(codes, { rows, valid, ...this.#dictionaries.get(dictionary)! })];
    }
    const is_bare = vector.kind !== "text" && vector.kind !== "instant";
    const lead = choice(is_bare ? this.#bare : this.#marked, this.#none, valid);
    const words = wordsIn(vector, rows);
    const value = words
      ? this.#wordPart(words, valid)
      : tablePart(vector as FixedVector, { rows, valid, tables });
    return is_bare ? [lead, value] : [lead, value, choice(this.#mark, nothing, valid)];
  }

  #wordPart(words: Words, valid: Validity | undefined): Varying {
    const store = this.#store;
    const { bytes, offsets } = words;
    return ({ from, to, spans, at, step }) => {
      const base = store.length - offsets[from];
      store.putBytes(bytes.subarray(offsets[from], offsets[to]));
      let width = 0;
      for (let row = from, i = at; row < to; row++, i += step) {
        const other = isValid(valid, row) ? this.#otherText(words, row) : undefined;
        if (other === undefined) {
          spans[i] = base + offsets[row];
          spans[i + 1] = base + offsets[row + 1];
        } else {
          spans[i] = store.length;
          store.putText(other);
          spans[i + 1] = store.length;
        }
        width = Math.max(width, spans[i + 1] - spans[i]);
      }
      return width;
    };
  }

  /** Word `i` between its marks, where it can't stand as it is. */
  #otherText(words: Words, i: number): string | undefined {
    const { bytes, offsets } = words;
    const { special, first, quote } = this.#dialect;
    const [from, to] = [offsets[i], offsets[i + 1]];
    if (from === to) return this.#empty === "" ? undefined : this.#empty;
    if (first[bytes[from]] === 0 && isPlain(bytes, { from, to, special })) return undefined;
    return quote(wordAt(words, i));
  }
}

function isPlain(
  bytes: Uint8Array,
  { from, to, special }: Text & { readonly special: Uint8Array },
): boolean {
  for (let i = from; i < to; i++) if (special[bytes[i]] !== 0) return false;
  return true;
}

/** The words that a vector's cells are codes of. */
function dictionaryOf(vector: Vector): Words | undefined {
  if (vector.kind === "bool") return flags;
  return vector.kind === "text" && vector.codes ? vector.words : undefined;
}

/** The texts of a vector that no table holds: its own words, and Int64s beyond 2^53. */
function wordsIn(vector: Vector, rows: number): Words | undefined {
  if (vector.kind === "text") return vector.words;
  if (vector.kind !== "int64" || floatsOf(vector, rows).every(Number.isSafeInteger)) return;
  return wordsOf(Array.from(vector.values, (it, row) => isValid(vector.valid, row) ? `${it}` : ""));
}

/** A vector whose validity tells of NaN and Infinity that they are no values. */
function finiteOf(vector: Vector, rows: number): Vector {
  if (vector.kind !== "float64") return vector;
  const { values } = vector;
  let row = 0;
  while (row < rows && values[row] - values[row] === 0) row++;
  if (row === rows) return vector;
  const valid = finiteVector(values.slice()).valid!;
  for (let at = 0; vector.valid && at < valid.length; at++) valid[at] &= vector.valid[at];
  return { ...vector, valid };
}

/** `text` in rows that have a value, `other` in those that have none. */
function choice(text: Text, other: Text, valid: Validity | undefined): RowPart {
  if (valid === undefined) return text;
  const width = Math.max(text.to - text.from, other.to - other.from);
  return ({ from, to, spans, at, step }) => {
    for (let row = from, i = at; row < to; row++, i += step) {
      const { from: start, to: end } = isValid(valid, row) ? text : other;
      spans[i] = start;
      spans[i + 1] = end;
    }
    return width;
  };
}

/** Whole cells by their codes, of which the last start is that of a row without a value. */
function codedPart(
  codes: Int32Array | Uint8Array,
  { rows, valid, starts, width }: Cells & {
    readonly rows: number;
    readonly valid: Validity | undefined;
  },
): RowPart {
  if (valid === undefined && isSame(codes, rows)) {
    return { from: starts[codes[0]], to: starts[codes[0] + 1] };
  }
  const none = starts.length - 2;
  return ({ from, to, spans, at, step }) => {
    for (let row = from, i = at; row < to; row++, i += step) {
      const code = isValid(valid, row) ? codes[row] : none;
      spans[i] = starts[code];
      spans[i + 1] = starts[code + 1];
    }
    return width;
  };
}

/** Numbers and instants, by the tables of those that were met last. */
function tablePart(
  vector: FixedVector,
  { rows, valid, tables }: PartOptions & { readonly valid: Validity | undefined },
): RowPart {
  const values = floatsOf(vector, rows);
  const table = vector.kind === "instant" ? tables.instants : tables.numbers;
  const width = vector.kind === "instant" ? instant_width : number_width;
  if (valid === undefined && isSame(values, rows)) {
    const spans = new Int32Array(2);
    table.find(values, { from: 0, to: 1, spans, at: 0, step: 2, valid });
    return { from: spans[0], to: spans[1] };
  }
  return (place) => {
    table.find(values, { ...place, valid });
    return width;
  };
}

/** Whether all rows have the same bits, so that 0 and -0 differ. */
function isSame(values: Float64Array | Int32Array | Uint8Array, rows: number): boolean {
  const is_long = values instanceof Float64Array;
  const parts = is_long ? new Int32Array(values.buffer, values.byteOffset, 2 * rows) : values;
  const step = is_long ? 2 : 1;
  const end = step * rows;
  for (let i = step; i < end; i++) if (parts[i] !== parts[i - step]) return false;
  return true;
}

/** A vector's numbers; of Int64s the nearest ones. */
function floatsOf({ kind, values }: FixedVector, rows: number): Float64Array {
  if (kind === "float64") return values;
  if (kind !== "int64" && kind !== "instant") return new Float64Array(values);
  const halves = halvesOf(values);
  const floats = new Float64Array(rows);
  for (let i = 0; i < rows; i++) floats[i] = int64At(halves, i);
  return floats;
}
