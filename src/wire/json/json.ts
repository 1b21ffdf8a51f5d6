// Answers as newline-delimited JSON and as a JSON array (RFC 8259): an object for each row.
import { utf8 } from "../../base/bytes.ts";
import type { Answer } from "../../model/data/chunk.ts";
import type { Column } from "../../model/data/column.ts";
import { type Dialect, specialBytes } from "../bytes/print.ts";
import { encodeText } from "../bytes/text.ts";

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
    quote: JSON.stringify,
    growth: 6,
  };
}
