// Finds the cells of rows in bytes (RFC 4180): quotes, line feeds within them, blanks around them.
import { strictTextOf } from "../../base/bytes.ts";
import { asciiAt } from "../bytes/number.ts";

const feed = 0x0a;
const quote = 0x22;
const space = 0x20;
const tab = 0x09;
const carriage = 0x0d;
/** A text of so few bytes is quicker to make letter by letter. */
const short_bytes = 64;

const windows = new TextDecoder("windows-1252");

/** Marks the cells of one row at a time. */
export class CellScanner {
  /** Cells of the row, and the line feeds that it has. */
  count = 0;
  feeds = 0;
  /** Whether there is text behind a closing quote. */
  broken = false;
  bytes: Uint8Array = new Uint8Array(0);
  starts = new Int32Array(1024);
  ends = new Int32Array(1024);
  readonly #delimiter: number;
  #doubled = false;

  /** `delimiter` is the ASCII character between cells. */
  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  /** Marks the row of `bytes` at `start`. Where the next begins, -1 if this one is not whole. */
  scan(bytes: Uint8Array, start: number): number {
    const delimiter = this.#delimiter;
    const { length } = bytes;
    this.bytes = bytes;
    this.count = this.feeds = 0;
    this.#doubled = this.broken = false;
    let from = start;
    for (let at = start; at < length; at++) {
      const byte = bytes[at];
      if (byte === delimiter || byte === feed) {
        this.#mark(from, at);
        if (byte === feed) {
          this.feeds++;
          return at + 1;
        }
        from = at + 1;
      } else if (byte === quote && this.#isBlankRun(from, at)) {
        at = this.#quoted(at);
        if (at < 0) return -1;
        if (bytes[at] === feed) {
          this.feeds++;
          return at + 1;
        }
        from = at + 1;
      }
    }
    return -1;
  }

  /** Whether a cell of the row has nothing in it. */
  isEmpty(at: number): boolean {
    return this.starts[at] === this.ends[at];
  }

  /** Whether no cell has anything in it. */
  get blank(): boolean {
    for (let at = 0; at < this.count; at++) if (!this.isEmpty(at)) return false;
    return true;
  }

  /** A cell's text: UTF-8, or Windows-1252 where it is not. */
  text(at: number): string {
    const [start, end] = [this.starts[at], this.ends[at]];
    let plain = end - start <= short_bytes;
    for (let i = start; plain && i < end; i++) plain = this.bytes[i] < 0x80;
    const text = plain
      ? asciiAt(this.bytes, { start, end })
      : wordsOf(this.bytes.subarray(start, end));
    return this.#doubled ? text.replaceAll('""', '"') : text;
  }

  /** The texts of all cells. */
  get texts(): string[] {
    return Array.from({ length: this.count }, (_, at) => this.text(at));
  }

  /** Marks a cell in quotes that begins at `open`; where its delimiter is, or -1. */
  #quoted(open: number): number {
    const { bytes } = this;
    let close = open + 1;
    for (; close < bytes.length; close++) {
      if (bytes[close] === feed) this.feeds++;
      if (bytes[close] !== quote) continue;
      if (bytes[close + 1] !== quote) break;
      this.#doubled = true;
      close++;
    }
    this.#mark(open + 1, close);
    for (let at = close + 1; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === this.#delimiter || byte === feed) return at;
      if (!isBlank(byte)) this.broken = true;
    }
    return -1;
  }

  #isBlankRun(from: number, to: number): boolean {
    for (let at = from; at < to; at++) if (!isBlank(this.bytes[at])) return false;
    return true;
  }

  #mark(from: number, to: number): void {
    const { bytes } = this;
    while (from < to && isBlank(bytes[from])) from++;
    while (to > from && isBlank(bytes[to - 1])) to--;
    if (this.count === this.starts.length) {
      this.starts = doubled(this.starts);
      this.ends = doubled(this.ends);
    }
    this.starts[this.count] = from;
    this.ends[this.count++] = to;
  }
}

function wordsOf(bytes: Uint8Array): string {
  return strictTextOf(bytes) ?? windows.decode(bytes);
}

function isBlank(byte: number): boolean {
  return byte === space || byte === tab || byte === carriage;
}

function doubled(places: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(2 * places.length);
  grown.set(places);
  return grown;
}
