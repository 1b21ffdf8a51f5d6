// Parquet's hybrid of run lengths and packed bits, for definition levels and dictionary codes.
// https://parquet.apache.org/docs/file-format/data-pages/encodings/#RLE
import type { Validity } from "../../model/data/chunk.ts";
import { varint } from "./thrift.ts";

/** Runs shorter than this are packed: packed values come in groups of eight. */
const group = 8;

/** Which of `rows` rows have a value, as levels of one bit: validity is packed as Parquet's are. */
export function levelBytes(valid: Validity | undefined, rows: number): Uint8Array<ArrayBuffer> {
  const out: number[] = [];
  if (valid === undefined) {
    varint(rows * 2, out);
    return Uint8Array.from([...out, 1]);
  }
  const groups = Math.ceil(rows / group);
  varint(groups * 2 + 1, out);
  const bytes = new Uint8Array(out.length + groups);
  bytes.set(out);
  bytes.set(valid.subarray(0, groups), out.length);
  return bytes;
}

/** Codes below 2^`width`, behind one byte that says the width (1 to 24). */
export function codeBytes(
  codes: Int32Array,
  width: number,
): Uint8Array<ArrayBuffer> {
  const count = codes.length;
  const out = new HybridWriter(count, width);
  let packed_from = 0;
  let at = 0;
  while (at < count) {
    const run = runAt(codes, at);
    if (run < group) {
      at += group;
      continue;
    }
    out.pack(codes, packed_from, at);
    out.repeat(codes[at], run);
    at += run;
    packed_from = at;
  }
  out.pack(codes, packed_from, count);
  return out.bytes();
}

/** How many equal codes stand at `at`. */
function runAt(codes: Int32Array, at: number): number {
  let end = at + 1;
  while (end < codes.length && codes[end] === codes[at]) end++;
  return end - at;
}

class HybridWriter {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #width: number;
  #at = 1;

  constructor(count: number, width: number) {
    // Every group of eight is packed, or part of a run that takes no more; each has a header.
    this.#bytes = new Uint8Array(1 + Math.ceil(count / group + 1) * (width + 6));
    this.#bytes[0] = width;
    this.#width = width;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#at);
  }

  /** A run of one code. */
  repeat(code: number, times: number): void {
    this.#header(times * 2);
    for (let bits = 0; bits < this.#width; bits += 8) {
      this.#bytes[this.#at++] = code >>> bits & 0xff;
    }
  }

  /** Codes from..to one behind the other, filled up with zeros to groups of eight. */
  pack(codes: Int32Array, from: number, to: number): void {
    if (from === to) return;
    const groups = Math.ceil((to - from) / group);
    this.#header(groups * 2 + 1);
    const end = this.#at + groups * this.#width;
    let pending = 0;
    let bits = 0;
    for (let i = from; i < to; i++) {
      pending |= codes[i] << bits;
      for (bits += this.#width; bits >= 8; bits -= 8) {
        this.#bytes[this.#at++] = pending & 0xff;
        pending >>>= 8;
      }
    }
    if (bits > 0) this.#bytes[this.#at] = pending;
    this.#at = end;
  }

  #header(value: number): void {
    const out: number[] = [];
    varint(value, out);
    for (const byte of out) this.#bytes[this.#at++] = byte;
  }
}
