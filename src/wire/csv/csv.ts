// Answers as CSV (RFC 4180) with a header row; no value is an empty field, an empty text is "".
import type { Answer } from "../../model/data/chunk.ts";
import type { Column } from "../../model/data/column.ts";
import { type Dialect, specialBytes } from "../bytes/print.ts";
import { encodeText } from "../bytes/text.ts";

/** The rows of an answer as CSV; the header alone for no rows. */
export function encodeCsv(answer: Answer): AsyncGenerator<Uint8Array, void> {
  return encodeText(answer, csvDialect(answer.columns));
}

function csvDialect(columns: readonly Column[]): Dialect {
  return {
    head: `${columns.map(({ name }) => name).join(",")}\r\n`,
    before: columns.map((_, i) => i === 0 ? "" : ","),
    after: "\r\n",
    absent: "",
    mark: "",
    special: specialBytes((byte) => special.includes(String.fromCharCode(byte))),
    quote: (text) =>
      text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text,
    growth: 2,
  };
}

const special = '",\r\n';
