// Chunks as rows of texts: neighbours that are the same in every row are one text.
import type { Chunk, Vector } from "../model/data/chunk.ts";
import type { Column } from "../model/data/column.ts";
import { body_limits } from "./bytes/limits.ts";
import { InstantPrinter } from "./bytes/text_instant.ts";
import { putNumber } from "./bytes/text_number.ts";
import type { Place, TextRows } from "./bytes/text_piece.ts";
import { type Text, TextStore } from "./bytes/text_store.ts";
import { TextTable } from "./bytes/text_table.ts";
import { ColumnTexts, type Dialect, put, type RowPart, type Tables } from "./text_column.ts";

/** Makes rows of an answer's chunks; what depends on a dictionary is made once. */
export class RowTexts {
  readonly #store = new TextStore();
  readonly #columns: readonly ColumnTexts[];
  readonly #after: Text;
  /** The store's texts that stay from chunk to chunk: leads, and cells of dictionaries. */
  #kept: number;
  readonly #instants = new InstantPrinter(this.#store);
  /** Where the texts of the rows stand that were made last. */
  #spans = new Int32Array(0);

  constructor(columns: readonly Column[], dialect: Dialect) {
    this.#columns = columns.map(({ json }, i) =>
      new ColumnTexts(this.#store, {
        before: dialect.before[i],
        dialect: json ? { ...dialect, ...dialect.nested } : dialect,
      })
    );
    this.#after = put(this.#store, dialect.after);
    this.#kept = this.#store.length;
  }

  /** The rows of a chunk, some at a time: the next ones take the memory of those before. */
  *of({ rows, vectors }: Chunk): Generator<TextRows, void> {
    const store = this.#store;
    store.cut(this.#kept);
    vectors.forEach((vector, i) => this.#columns[i].learn(vector));
    this.#kept = store.length;
    const tables = this.#tablesFor(rows * vectors.length);
    const all = vectors.flatMap((vector, i) => this.#columns[i].partsOf(vector, { rows, tables }));
    const parts = joined(store, [...all, this.#after]);
    const most = Math.max(
      1,
      Math.min(
        Math.floor(body_limits.text_parts / parts.length),
        Math.floor(body_limits.text_store_bytes * rows / Math.max(1, ownBytes(vectors))),
      ),
    );
    const size = 2 * parts.length * Math.min(rows, most);
    if (this.#spans.length < size) this.#spans = new Int32Array(size);
    const spans = this.#spans;
    const same = putSame(parts, { rows: Math.min(rows, most), spans });
    const base = store.length;
    for (let from = 0; from < rows; from += most) {
      if (store.length - base > body_limits.text_store_bytes) {
        store.cut(base);
        tables.numbers.clear();
        tables.instants.clear();
      }
      const to = Math.min(rows, from + most);
      const width = same + putVarying(parts, { from, to, spans });
      yield { rows: to - from, parts: parts.length, spans, width, store };
    }
  }

  /** Empty tables for a chunk of so many cells. */
  #tablesFor(cells: number): Tables {
    const bits = Math.min(body_limits.text_table_bits, Math.ceil(Math.log2(cells + 2)));
    const store = this.#store;
    return {
      numbers: new TextTable(store, { bits, print: (value) => putNumber(store, value) }),
      instants: new TextTable(store, { bits, print: (at_us) => this.#instants.put(at_us) }),
    };
  }
}

/** The bytes of the words that are in no dictionary. */
function ownBytes(vectors: readonly Vector[]): number {
  return vectors.reduce((sum, vector) => {
    const is_own = vector.kind === "text" && !vector.codes;
    return is_own ? sum + vector.words.offsets.at(-1)! - vector.words.offsets[0] : sum;
  }, 0);
}

/** Writes the spans of the texts that are the same in each row; gives the bytes of them all. */
function putSame(
  parts: readonly RowPart[],
  { rows, spans }: { readonly rows: number; readonly spans: Int32Array },
): number {
  let width = 0;
  const step = 2 * parts.length;
  parts.forEach((part, at) => {
    if (typeof part === "function") return;
    const { from, to } = part;
    width += to - from;
    for (let i = 2 * at; i < step * rows; i += step) {
      spans[i] = from;
      spans[i + 1] = to;
    }
  });
  return width;
}

/** Writes those of the others; gives the bytes that they are at most in a row. */
function putVarying(
  parts: readonly RowPart[],
  { from, to, spans }: Pick<Place, "from" | "to" | "spans">,
): number {
  let width = 0;
  const step = 2 * parts.length;
  parts.forEach((part, at) => {
    if (typeof part === "function") width += part({ from, to, spans, at: 2 * at, step });
  });
  return width;
}

/** The parts, but one for all neighbours that are the same text in every row. */
function joined(store: TextStore, parts: readonly RowPart[]): RowPart[] {
  const out: RowPart[] = [];
  let from = store.length;
  const close = () => {
    if (store.length > from) out.push({ from, to: store.length });
    from = store.length;
  };
  for (const part of parts) {
    if (typeof part === "function") {
      close();
      out.push(part);
    } else store.repeat(part);
  }
  close();
  return out;
}
