// Splits a body that is one JSON array into its elements, within a bound on an element's length.
import type { Meter } from "../../base/budget.ts";
import { concat } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";

/** Gets every element in order; the bytes are only its own during the call. */
type ElementReader = {
  /** `bytes[start, end)`; `line` is the element's number, counted from 1. */
  readonly row: (
    bytes: Uint8Array,
    at: { readonly start: number; readonly end: number; readonly line: number },
  ) => void;
  /** Takes elements behind one that was given, in its own way; moves `at` behind their commas. */
  readonly some?: (bytes: Uint8Array, at: { start: number; line: number }) => void;
  /** Where the element that begins at `start` ends, if the reader knows; -1 where it does not. */
  readonly endOf?: (bytes: Uint8Array, start: number) => number;
  /** An element of more than `row_bytes`, which is skipped. */
  readonly tooLong: (line: number) => void;
  readonly row_bytes: number;
  /** Counts the part of an element that waits for its rest. */
  readonly meter: Meter;
};

/** Reads `body` to its end. Anything but one whole array is a `Fault` (invalid). */
export async function readElements(
  body: AsyncIterable<Uint8Array>,
  reader: ElementReader,
): Promise<void> {
  const splitter = new ArraySplitter(reader);
  for await (const chunk of body) splitter.push(chunk);
  splitter.finish();
}

/** JSON's blanks, and the record separator of RFC 7464. */
export function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0x1e;
}

/** Finds the elements as their bytes come in; an element is handed on once it is whole. */
class ArraySplitter {
  readonly #reader: ElementReader;
  #carried: Uint8Array = new Uint8Array(0);
  #counted = 0;
  #place: "before" | "inside" | "after" = "before";
  #row = 1;
  #depth = 0;
  #quoted = false;
  #escaped = false;
  #skipping = false;

  constructor(reader: ElementReader) {
    this.#reader = reader;
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
      else if (isBehind(byte)) {
        this.#element(bytes, { start, end: at, last: byte === 0x5d });
        start = byte === 0x2c ? this.#some(bytes, at + 1) : at + 1;
        at = this.#knownEnd(bytes, start) - 1;
      }
    }
    if (bytes.length - start > this.#reader.row_bytes) this.#skipping = true;
    this.#carried = this.#skipping || this.#place !== "inside"
      ? new Uint8Array(0)
      : bytes.slice(start);
    this.#reader.meter.take(Math.max(0, this.#carried.length - this.#counted));
    this.#counted = Math.max(this.#counted, this.#carried.length);
  }

  finish(): void {
    if (this.#place === "before") throw new Fault("invalid", "the body must be a JSON array");
    if (this.#place === "inside") {
      throw new Fault("invalid", `the JSON array broke off in row ${this.#row}`);
    }
  }

  /** Where the first element begins that the reader does not take in its own way. */
  #some(bytes: Uint8Array, start: number): number {
    const at = { start, line: this.#row };
    this.#reader.some?.(bytes, at);
    this.#row = at.line;
    return at.start;
  }

  /** Where the element from `start` on ends, if the reader knows; else where it begins. */
  #knownEnd(bytes: Uint8Array, start: number): number {
    const end = this.#place === "inside" ? this.#reader.endOf?.(bytes, start) ?? -1 : -1;
    return end >= 0 && isBehind(bytes[end]) ? end : start;
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
    const skipping = this.#skipping || end - start > this.#reader.row_bytes;
    this.#skipping = false;
    if (last && line === 1 && !skipping && bytes.subarray(start, end).every(isBlank)) return;
    if (skipping) this.#reader.tooLong(line);
    else this.#reader.row(bytes, { start, end, line });
  }
}

/** A byte that stands behind an element: a comma, or the bracket that ends the array. */
function isBehind(byte: number): boolean {
  return byte === 0x2c || byte === 0x5d;
}

/** A byte of a byte order mark. */
function isMark(byte: number): boolean {
  return byte === 0xef || byte === 0xbb || byte === 0xbf;
}
