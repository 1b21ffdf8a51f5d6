// Cuts a long file of rows into bodies that end where a row ends.
import { concat } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import type { LineStart } from "./delimited.ts";

/** Some whole rows, the number of their first line, and where the next ones begin. */
export type Body = {
  readonly bytes: Uint8Array;
  readonly first_line: number;
  readonly next: LineStart;
};

const feed = 0x0a;
const quote = 0x22;

/**
 * The rows of `body`, which begins at `start`, in bodies of about `limits.import_piece_bytes`. A
 * line feed within quotes ends no row. A row longer than a body is a `Fault` (invalid).
 */
export async function* chopRows(
  body: AsyncIterable<Uint8Array>,
  start: LineStart = { offset: 0, line: 1 },
): AsyncGenerator<Body, void> {
  let at = start;
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    parts.push(part);
    size += part.length;
    if (size < limits.import_piece_bytes) continue;
    const bytes = concat(parts);
    const { end, feeds } = lastRowEnd(bytes);
    if (end === 0) {
      throw new Fault("invalid", `line ${at.line} has no end: is a quote unclosed?`);
    }
    const next = { offset: at.offset + end, line: at.line + feeds };
    yield { bytes: bytes.subarray(0, end), first_line: at.line, next };
    at = next;
    parts = [bytes.subarray(end)];
    size = bytes.length - end;
  }
  if (size === 0) return;
  const next = { offset: at.offset + size, line: at.line + 1 };
  yield { bytes: concat(parts), first_line: at.line, next };
}

/** Where the last whole row ends, and the line feeds before that. */
function lastRowEnd(bytes: Uint8Array): { readonly end: number; readonly feeds: number } {
  let open = false;
  let feeds = 0;
  let found = { end: 0, feeds: 0 };
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === quote) open = !open;
    if (bytes[i] !== feed) continue;
    feeds++;
    if (!open) found = { end: i + 1, feeds };
  }
  return found;
}
