// Runs of bytes, each numbered once and found again without making a string of it.
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
  #last = 0;

  /** Bytes that it holds. */
  get held_bytes(): number {
    return this.#ends[this.#count] + this.#count * place_bytes;
  }

  /** The number of a run of `bytes`, or -1. */
  find(bytes: Uint8Array, { start, end }: Span): number {
    const guess = this.#next[this.#last];
    const place = guess < this.#count && this.#is(guess, bytes, { start, end })
      ? guess
      : this.#slots[this.#slotOf(bytes, { start, end })];
    if (place >= 0) this.#note(place);
    return place;
  }

  /** Adds a run that is not there; its number. */
  add(bytes: Uint8Array, { start, end }: Span): number {
    const from = this.#ends[this.#count];
    if (this.#count + 2 > this.#ends.length) this.#grow();
    const to = from + end - start;
    if (to > this.#bytes.length) this.#bytes = resized(this.#bytes, new Uint8Array(to * 2));
    this.#bytes.set(bytes.subarray(start, end), from);
    this.#slots[this.#slotOf(bytes, { start, end })] = this.#count;
    this.#ends[++this.#count] = to;
    this.#note(this.#count - 1);
    return this.#count - 1;
  }

  #note(place: number): void {
    this.#next[this.#last] = place;
    this.#last = place;
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
