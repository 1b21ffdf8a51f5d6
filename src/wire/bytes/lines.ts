// Splits a body into its lines without copying them, within a bound on a line's length.
import type { Meter } from "../../base/budget.ts";
import { concat } from "../../base/bytes.ts";
import { giveWay, isLongAt, rowsToLook } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { body_limits } from "./limits.ts";

/** Gets every line that holds anything, in order; the bytes are only its own during the call. */
type LineReader = {
  /** `bytes[start, end)` without the line feed. `ended`: a line feed stood behind it. */
  readonly line: (
    bytes: Uint8Array,
    at: { readonly start: number; readonly end: number; readonly line: number; ended: boolean },
  ) => void;
  /** Where the line that begins at `start` ends, if the reader knows; -1 where it does not. */
  readonly endOf?: (bytes: Uint8Array, start: number) => number;
  /** Takes up to `most` lines behind one that was given, in its own way; moves `at` behind them. */
  readonly some?: (
    bytes: Uint8Array,
    at: { start: number; line: number },
    most: number,
  ) => void;
  /** A line of more than `line_bytes`, which is skipped. */
  readonly tooLong: (line: number) => void;
  /** `body_limits.ingest_line_bytes` where it is not said. */
  readonly line_bytes?: number;
  /** Counts the part of a line that waits for its rest. */
  readonly meter: Meter;
};

/**
 * Reads `body` to its end; lines count from 1, a byte order mark at the very start is skipped.
 * More than `body_limits.ingest_lines` lines, empty ones too, are a `Fault` (too_large).
 */
export async function readLines(
  body: AsyncIterable<Uint8Array>,
  reader: LineReader,
): Promise<void> {
  const { line_bytes = body_limits.ingest_line_bytes, meter } = reader;
  const at = { start: 0, end: 0, line: 1, ended: true };
  let carried: Uint8Array = new Uint8Array(0);
  let counted = 0;
  let skipping = false;
  const give = (bytes: Uint8Array, start: number, end: number) => {
    at.start = at.line === 1 && startsWithMark(bytes, start, end) ? start + 3 : start;
    at.end = end;
    if (skipping || end - start > line_bytes) reader.tooLong(at.line);
    else if (at.end > at.start) reader.line(bytes, at);
    skipping = false;
  };
  const feedAt = (bytes: Uint8Array, start: number) => {
    const end = reader.endOf ? reader.endOf(bytes, start) : -1;
    return end >= 0 && bytes[end] === 0x0a ? end : bytes.indexOf(0x0a, start);
  };
  /** Gives lines, the first up to `feed`, until others are to have their turn; where it stopped. */
  const giveSome = (bytes: Uint8Array, start: number, feed: number): [number, number] => {
    do {
      give(bytes, start, feed);
      at.line++;
      at.start = feed + 1;
      reader.some?.(bytes, at, rowsToLook(at.line));
      start = at.start;
      feed = feedAt(bytes, start);
    } while (feed >= 0 && !isLongAt(at.line));
    return [start, feed];
  };
  for await (const chunk of body) {
    let bytes = chunk;
    let [start, feed] = [0, bytes.indexOf(0x0a)];
    if (carried.length > 0) {
      // The line that the piece before began is put together, and no more of this one copied.
      const ended = feed >= 0;
      bytes = concat([carried, ended ? chunk.subarray(0, feed) : chunk]);
      if (ended) {
        give(bytes, 0, bytes.length);
        at.line++;
        bytes = chunk;
        start = feed + 1;
        feed = feedAt(bytes, start);
      }
    }
    while (feed >= 0) {
      [start, feed] = giveSome(bytes, start, feed);
      if (feed >= 0) await giveWay();
    }
    if (at.line > body_limits.ingest_lines) throw tooManyLines();
    if (bytes.length - start > line_bytes) skipping = true;
    carried = skipping ? new Uint8Array(0) : bytes.slice(start);
    meter.take(Math.max(0, carried.length - counted));
    counted = Math.max(counted, carried.length);
  }
  at.ended = false;
  give(carried, 0, carried.length);
}

function tooManyLines(): Fault {
  return new Fault("too_large", `send at most ${body_limits.ingest_lines} lines at once`);
}

function startsWithMark(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start >= 3 && bytes[start] === 0xef && bytes[start + 1] === 0xbb &&
    bytes[start + 2] === 0xbf;
}
