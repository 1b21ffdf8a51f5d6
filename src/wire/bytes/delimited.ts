// Lines of delimited text from bytes: where each stands in its file, and its cells.
import { concat, strictTextOf } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";
import { body_limits } from "./limits.ts";

/** One line without its line end. */
export type Line = {
  readonly text: string;
  /** Counted from 1. */
  readonly number: number;
  /** Offset in bytes of the next line. */
  readonly next: number;
  /** Whether a line feed stood behind it. */
  readonly ended: boolean;
};

const feed = 0x0a;
const windows = new TextDecoder("windows-1252");

/** Where to begin: the offset of a line's first byte, and its number. */
export type LineStart = { readonly offset: number; readonly line: number };

/**
 * The lines of a file's bytes from `start` on. UTF-8, or Windows-1252 where a line is not. A line
 * longer than `body_limits.historian_line_bytes`, or text in UTF-16, is a `Fault` (invalid).
 */
export async function* linesOf(
  body: AsyncIterable<Uint8Array>,
  start: LineStart = { offset: 0, line: 1 },
): AsyncGenerator<Line, void> {
  let { offset, line } = start;
  let carried: Uint8Array = new Uint8Array(0);
  for await (const chunk of body) {
    const bytes = carried.length === 0 ? chunk : concat([carried, chunk]);
    if (offset === 0 && bytes[0] + bytes[1] === 0xff + 0xfe) {
      throw new Fault("invalid", "the file is UTF-16: save it as UTF-8");
    }
    let from = 0;
    for (let to = bytes.indexOf(feed, carried.length); to >= 0; to = bytes.indexOf(feed, from)) {
      const next = offset + to + 1 - from;
      yield { text: lineText(bytes.subarray(from, to)), number: line, next, ended: true };
      offset = next;
      line++;
      from = to + 1;
    }
    carried = bytes.slice(from);
    if (carried.length > body_limits.historian_line_bytes) {
      throw new Fault("invalid", `line ${line} is over ${body_limits.historian_line_bytes} bytes`);
    }
  }
  if (carried.length === 0) return;
  const next = offset + carried.length;
  yield { text: lineText(carried), number: line, next, ended: false };
}

/** The cells of a line, trimmed and without their quotes (RFC 4180). */
export function cellsOf(text: string, delimiter: string): string[] {
  const parts = text.split(delimiter);
  if (!text.includes('"')) return parts.map((part) => part.trim());
  const cells: string[] = [];
  for (let i = 0; i < parts.length; i++) {
    let cell = parts[i];
    while (cell.trimStart().startsWith('"') && isOpen(cell) && i + 1 < parts.length) {
      cell += delimiter + parts[++i];
    }
    const bare = cell.trim();
    const quoted = bare.length > 1 && bare.startsWith('"') && bare.endsWith('"');
    cells.push(quoted ? bare.slice(1, -1).replaceAll('""', '"').trim() : bare);
  }
  return cells;
}

/** Whether a cell has an odd number of quotes. */
function isOpen(cell: string): boolean {
  let open = false;
  for (let at = cell.indexOf('"'); at >= 0; at = cell.indexOf('"', at + 1)) open = !open;
  return open;
}

function lineText(bytes: Uint8Array): string {
  const end = bytes.at(-1) === 0x0d ? bytes.length - 1 : bytes.length;
  const own = bytes.subarray(0, end);
  return strictTextOf(own) ?? windows.decode(own);
}
