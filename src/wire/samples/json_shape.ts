// The shape of a JSON row: the rows of a body are alike, but for their texts and numbers.
import { holdAt } from "../../base/bytes.ts";
import { form, type RowField } from "./row_builder.ts";

/** What stands before a value, and the field whose value it is. */
type Part = { readonly before: Uint8Array; readonly number: number; readonly form: number };

/** Rows in a run that are of another shape, before theirs is learnt. */
const most_others = 8;

/** Reads rows that differ from the last one in texts and numbers only. */
export class JsonShape {
  readonly #fields: readonly RowField[];
  #parts: readonly Part[] = [];
  #after: Uint8Array = new Uint8Array(0);
  #others = most_others;

  constructor(fields: readonly RowField[]) {
    this.#fields = fields;
  }

  /**
   * Marks the fields of the row `bytes[start, end)`. False where it is of another shape; the marks
   * are then those of no row.
   */
  read(bytes: Uint8Array, start: number, end: number): boolean {
    const is_like = this.#mark(bytes, start, end);
    this.#others = is_like ? 0 : this.#others + 1;
    return is_like;
  }

  /** Takes the shape of the row `bytes[start, end)`, whose fields are marked, if that pays. */
  learn(bytes: Uint8Array, start: number, end: number): void {
    if (this.#others <= most_others) return;
    const marked = this.#fields.map((field, number) => ({ field, number }))
      .filter(({ field }) => field.form !== form.none)
      .sort((a, b) => a.field.start - b.field.start);
    if (!marked.every(({ field }) => field.form === form.number || field.form === form.string)) {
      return;
    }
    let at = start;
    this.#parts = marked.map(({ field, number }) => {
      const before = bytes.slice(at, field.start);
      at = field.end;
      return { before, number, form: field.form };
    });
    this.#after = bytes.slice(at, end);
  }

  #mark(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#parts.length === 0) return false;
    for (const field of this.#fields) field.form = form.none;
    let at = start;
    for (const { before, number, form: kind } of this.#parts) {
      if (!holdAt(bytes, at, before)) return false;
      const field = this.#fields[number];
      field.form = kind;
      field.start = at += before.length;
      at = kind === form.string ? textEnd(bytes, at, end) : numberEnd(bytes, at, end);
      if (at < 0) return false;
      field.end = at;
    }
    return at + this.#after.length === end && holdAt(bytes, at, this.#after);
  }
}

/** By byte, whether it ends a text or stands in none without an escape. */
const ends_text = Uint8Array.from(
  { length: 256 },
  (_, byte) => Number(byte < 0x20 || byte === 0x22 || byte === 0x5c),
);

/** Where a text without escapes ends, or -1. */
function textEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && ends_text[bytes[at]] === 0) at++;
  return at < end && bytes[at] === 0x22 ? at : -1;
}

/** Where a run of the signs of numbers ends, or -1 where it is none. */
function numberEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  if (bytes[at] !== 0x2d && !(bytes[at] >= 0x30 && bytes[at] <= 0x39)) return -1;
  while (at < end && isNumeric(bytes[at])) at++;
  return at;
}

/** Whether a byte may stand in a number. */
export function isNumeric(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2e || byte === 0x2d || byte === 0x2b ||
    (byte | 0x20) === 0x65;
}
