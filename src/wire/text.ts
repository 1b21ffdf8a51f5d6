// Answers as text, row by row: CSV (RFC 4180), newline-delimited JSON, a JSON array (RFC 8259).
import { utf8 } from "../base/bytes.ts";
import type { Answer } from "../model/data/chunk.ts";
import type { Column } from "../model/data/column.ts";
import { TextPiece } from "./bytes/text_piece.ts";
import type { Dialect } from "./text_column.ts";
import { RowTexts } from "./text_rows.ts";

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
    quote: (text) => JSON.stringify(text).slice(1, -1),
    nested: { mark: "", special: no_bytes, first: no_bytes },
  };
}

/** The rows of an answer as UTF-8, behind the dialect's head. */
async function* encodeText(
  answer: Answer,
  dialect: Dialect,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const piece = new TextPiece();
  if (dialect.head !== "") piece.begin(utf8(dialect.head));
  const texts = new RowTexts(answer.columns, dialect);
  for await (const chunk of answer.chunks) {
    for (const some of texts.of(chunk)) {
      for (let row = 0; row < some.rows;) {
        row = piece.putRows(some, row);
        if (row < some.rows) yield piece.take();
      }
    }
  }
  if (piece.length > 0) yield piece.take();
}

/** The table of the bytes of which `isSpecial` is true. */
function specialBytes(isSpecial: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => isSpecial(byte) ? 1 : 0);
}

const no_bytes = specialBytes(() => false);
