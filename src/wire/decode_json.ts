// Decodes samples from newline-delimited JSON and from one JSON array of rows.
import { concat } from "../base/bytes.ts";
import { Fault } from "../base/fault.ts";
import { limits } from "../base/limits.ts";
import { JsonRowReader } from "./json_row.ts";
import { readLines } from "./lines.ts";
import { type Decoded, type IngestLane, RowTaker } from "./row_taker.ts";

const too_long = `is longer than ${limits.ingest_line_bytes} bytes`;

/**
 * Rows of a body with one JSON object a line; blank lines are skipped. A last line without a line
 * feed whose object is not finished means that the body broke off: a `Fault` (invalid).
 */
export async function decodeNdjson(
  body: AsyncIterable<Uint8Array>,
  lane: IngestLane,
): Promise<Decoded> {
  const taker = new RowTaker(lane);
  const reader = new JsonRowReader(taker);
  await readLines(body, {
    line: (bytes, at) => {
      let start = at.start;
      while (start < at.end && isBlank(bytes[start])) start++;
      if (start === at.end || reader.row(bytes, start, at)) return;
      if (!at.ended) throw new Fault("invalid", `the body broke off in line ${at.line}`);
      taker.reject(bytes, at.line, "is not JSON: the line ends inside its object");
    },
    tooLong: (line) => taker.rejections.add({ line, tag: null, reason: too_long }),
  });
  return taker.decoded();
}

/**
 * Rows of a body that is one JSON array of objects; a row's line is its number counted from 1.
 * Anything but one whole array is a `Fault` (invalid).
 */
export async function decodeJsonArray(
  body: AsyncIterable<Uint8Array>,
  lane: IngestLane,
): Promise<Decoded> {
  const taker = new RowTaker(lane);
  const splitter = new ArraySplitter(taker);
  for await (const chunk of body) splitter.push(chunk);
  splitter.finish();
  return taker.decoded();
}

/** Finds the elements of an array as its bytes come in; an element is scanned once it is whole. */
class ArraySplitter {
  readonly #taker: RowTaker;
  readonly #reader: JsonRowReader;
  #carried: Uint8Array = new Uint8Array(0);
  #place: "before" | "inside" | "after" = "before";
  #row = 1;
  #depth = 0;
  #quoted = false;
  #escaped = false;
  #skipping = false;

  constructor(taker: RowTaker) {
    this.#taker = taker;
    this.#reader = new JsonRowReader(taker);
  }

  push(chunk: Uint8Array): void {
    const bytes = this.#carried.length === 0 ? chunk : concat([this.#carried, chunk]);
    let start = 0;
    for (let at = this.#carried.length; at < bytes.length; at++) {
      const byte = bytes[at];
      if (this.#quoted) this.#quote(byte);
      else if (this.#place !== "inside") start = this.#outside(byte, at);
      else if (byte === 0x22) this.#quoted = true;
      else if (byte === 0x7b || byte === 0x5b) this.#depth++;
      else if (this.#depth > 0) this.#depth -= byte === 0x7d || byte === 0x5d ? 1 : 0;
      else if (byte === 0x2c || byte === 0x5d) {
        this.#element(bytes, { start, end: at, last: byte === 0x5d });
        start = at + 1;
      }
    }
    if (bytes.length - start > limits.ingest_line_bytes) this.#skipping = true;
    this.#carried = this.#skipping || this.#place !== "inside"
      ? new Uint8Array(0)
      : bytes.slice(start);
  }

  finish(): void {
    if (this.#place === "before") throw new Fault("invalid", "the body must be a JSON array");
    if (this.#place === "inside") {
      throw new Fault("invalid", `the JSON array broke off in row ${this.#row}`);
    }
  }

  #quote(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === 0x5c) this.#escaped = true;
    else if (byte === 0x22) this.#quoted = false;
  }

  /** A byte before or after the array; gives where the first element starts. */
  #outside(byte: number, at: number): number {
    if (isBlank(byte) || (this.#place === "before" && isMark(byte))) return at + 1;
    if (this.#place === "after") {
      throw new Fault("invalid", "the body has text after its JSON array");
    }
    if (byte !== 0x5b) throw new Fault("invalid", "the body must be a JSON array");
    this.#place = "inside";
    return at + 1;
  }

  #element(
    bytes: Uint8Array,
    { start, end, last }: { readonly start: number; readonly end: number; readonly last: boolean },
  ): void {
    const line = this.#row++;
    if (last) this.#place = "after";
    const skipping = this.#skipping || end - start > limits.ingest_line_bytes;
    this.#skipping = false;
    if (last && line === 1 && !skipping && bytes.subarray(start, end).every(isBlank)) return;
    if (skipping) this.#taker.rejections.add({ line, tag: null, reason: too_long });
    else if (!this.#reader.row(bytes, start, { end, line })) {
      this.#taker.reject(bytes, line, "is not JSON: the row ends inside its object");
    }
  }
}

/** JSON's blanks, and the record separator of RFC 7464. */
function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0x1e;
}

/** A byte of a byte order mark. */
function isMark(byte: number): boolean {
  return byte === 0xef || byte === 0xbb || byte === 0xbf;
}
