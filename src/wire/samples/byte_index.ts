// Runs of bytes, each numbered once; which one comes next is guessed by what came before.
import type { Span } from "../../base/bytes.ts";

/** Bytes that a run takes beside its own. */
const place_bytes = 32;

/** The distinct runs that were added, in order. */
export class ByteIndex {
  #count = 0;
  #bytes = new Uint8Array(1024);
  /** Run i is `[ends[i], ends[i + 1])` of the bytes. */
  #ends = new Int32Array(64);
  /** Places by hash, -1 where none; open addressing, at most half full. */
  #slots = new Int32Array(128).fill(-1);
  /** By place of a run, which one was asked for after it: bodies repeat their order. */
  #next = new Int32Array(64);
  /** The place that was asked for last. */
  place = 0;
  /** By place, where a run may stand so that what comes behind it ends it. */
  #stands = new Uint8Array(64);
  #view = new DataView(this.#bytes.buffer);

  /** Bytes that it holds. */
  get held_bytes(): number {
    return this.#ends[this.#count] + this.#count * place_bytes;
  }

  /** The number of a run of `bytes`, or -1. */
  find(bytes: Uint8Array, { start, end }: Span): number {
    const guess = this.#next[this.place];
    const place = guess < this.#count && this.#is(guess, bytes, { start, end })
      ? guess
      : this.#slots[this.#slotOf(bytes, { start, end })];
    if (place >= 0) this.#note(place);
    return place;
  }

  /** The length of the run that came after the last one before, where it lies at `at`; else -1. */
  nextAt(view: DataView, at: number, is_quoted: boolean): number {
    const guess = this.#next[this.place];
    const least = is_quoted ? stands.quoted : stands.bare;
    if (guess >= this.#count || this.#stands[guess] < least) return -1;
    const from = this.#ends[guess];
    const length = this.#ends[guess + 1] - from;
    if (at + length > view.byteLength) return -1;
    let i = length;
    // From the end, as above.
    for (; i >= 4; i -= 4) {
      if (this.#view.getInt32(from + i - 4, true) !== view.getInt32(at + i - 4, true)) return -1;
    }
    while (--i >= 0) if (this.#view.getUint8(from + i) !== view.getUint8(at + i)) return -1;
    return length;
  }

  /** The place of that run, which has come. */
  takeNext(): number {
    return this.place = this.#next[this.place];
  }

  /** Adds a run that is not there; its number. */
  add(bytes: Uint8Array, { start, end }: Span): number {
    const from = this.#ends[this.#count];
    if (this.#count + 2 > this.#ends.length) this.#grow();
    const to = from + end - start;
    if (to > this.#bytes.length) {
      this.#bytes = resized(this.#bytes, new Uint8Array(to * 2));
      this.#view = new DataView(this.#bytes.buffer);
    }
    this.#bytes.set(bytes.subarray(start, end), from);
    this.#slots[this.#slotOf(bytes, { start, end })] = this.#count;
    this.#stands[this.#count] = standOf(bytes, { start, end });
    this.#ends[++this.#count] = to;
    this.#note(this.#count - 1);
    return this.#count - 1;
  }

  #note(place: number): void {
    this.#next[this.place] = place;
    this.place = place;
  }

  /** The slot of a run, or the free one where it belongs. */
  #slotOf(bytes: Uint8Array, span: Span): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hashOf(bytes, span) & mask;
    while (slots[slot] >= 0 && !this.#is(slots[slot], bytes, span)) slot = (slot + 1) & mask;
    return slot;
  }

  #is(place: number, bytes: Uint8Array, { start, end }: Span): boolean {
    const from = this.#ends[place];
    const length = end - start;
    if (this.#ends[place + 1] - from !== length) return false;
    const own = this.#bytes;
    // From the end: names of a plant begin alike.
    for (let i = length - 1; i >= 0; i--) if (own[from + i] !== bytes[start + i]) return false;
    return true;
  }

  #grow(): void {
    this.#ends = resized(this.#ends, new Int32Array(this.#ends.length * 2));
    this.#next = resized(this.#next, new Int32Array(this.#next.length * 2));
    this.#stands = resized(this.#stands, new Uint8Array(this.#stands.length * 2));
    const slots = new Int32Array(this.#slots.length * 2).fill(-1);
    const mask = slots.length - 1;
    for (let place = 0; place < this.#count; place++) {
      const span = { start: this.#ends[place], end: this.#ends[place + 1] };
      let slot = hashOf(this.#bytes, span) & mask;
      while (slots[slot] >= 0) slot = (slot + 1) & mask;
      slots[slot] = place;
    }
    this.#slots = slots;
  }
}

/** Where a run may stand: in quotes alone, or without them too. */
const stands = { nowhere: 0, quoted: 1, bare: 2 } as const;

/** A quote, a backslash and a control sign end a text; a comma a cell, whose blanks are not its. */
function standOf(bytes: Uint8Array, { start, end }: Span): number {
  let stand: number = end > start ? stands.bare : stands.nowhere;
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte < 0x20 || byte === 0x22 || byte === 0x5c) return stands.nowhere;
    if (byte === 0x20 || byte === 0x2c) stand = stands.quoted;
  }
  return stand;
}

/** FNV-1a, folded so that its low bits are good. */
function hashOf(bytes: Uint8Array, { start, end }: Span): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  return hash ^ (hash >>> 15);
}

function resized<A extends Uint8Array | Int32Array>(from: A, to: A): A {
  to.set(from);
  return to;
}
