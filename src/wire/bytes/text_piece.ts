// A piece of text while it is written: fragments, digits, words and instants as bytes.
import { concat } from "../../base/bytes.ts";
import { body_limits } from "./limits.ts";

/** Texts made once and put often, text i at `offsets[i]..offsets[i + 1]`. */
export type Fragments = {
  readonly view: DataView<ArrayBuffer>;
  readonly offsets: Int32Array<ArrayBuffer>;
  /** Bytes of the longest one. */
  readonly longest: number;
};

const encoder = new TextEncoder();

/** Bytes behind the last one that a copy of whole 8-byte words may touch. */
const slack = 8;

/** The fragments of a few texts. */
export function fragmentsOf(texts: readonly string[]): Fragments {
  const width = 3 * texts.reduce((most, text) => Math.max(most, text.length), 0);
  const piece = new TextPiece(width * texts.length);
  return fragmentsFrom(piece, { count: texts.length, width, put: (i) => piece.putText(texts[i]) });
}

/** The fragments that `put` puts into an empty piece, each of at most `width` bytes. */
export function fragmentsFrom(
  piece: TextPiece,
  { count, width, put }: {
    readonly count: number;
    readonly width: number;
    readonly put: (i: number) => void;
  },
): Fragments {
  const offsets = new Int32Array(count + 1);
  const parts: Uint8Array[] = [];
  let taken = 0;
  let longest = 0;
  for (let i = 0; i < count; i++) {
    if (!piece.hasRoom(width)) {
      taken += piece.length;
      parts.push(piece.take());
      piece.hasRoom(width);
    }
    put(i);
    offsets[i + 1] = taken + piece.length;
    longest = Math.max(longest, offsets[i + 1] - offsets[i]);
  }
  const bytes = concat([...parts, piece.take(), new Uint8Array(slack)]);
  return { view: new DataView(bytes.buffer), offsets, longest };
}

/** The bytes of fragment `i`. */
export function fragmentAt({ view, offsets }: Fragments, i: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(view.buffer, offsets[i], offsets[i + 1] - offsets[i]);
}

/**
 * Bytes of text up to some size. Whoever puts must have asked for room before: nothing here checks
 * its bounds, and that is what makes it fast.
 */
export class TextPiece {
  #bytes = new Uint8Array(0);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;
  #size: number;
  /** The two last numbers that were long to print, and where they stand. */
  #last = new LongNumber();
  #before = new LongNumber();

  /** Room is made for so many bytes, then for more each time, up to those of a whole piece. */
  constructor(size: number = body_limits.first_piece_bytes) {
    this.#size = size;
  }

  /** Bytes written and not taken yet. */
  get length(): number {
    return this.#at;
  }

  /**
   * Whether `count` more bytes fit; an empty piece makes them fit twice, as they are most often far
   * fewer: one long text of a chunk would put each of its rows in a piece of its own.
   */
  hasRoom(count: number): boolean {
    if (this.#at + count + slack <= this.#bytes.length) return true;
    if (this.#at > 0) return false;
    this.#bytes = new Uint8Array(Math.max(this.#size, 2 * count) + slack);
    this.#view = new DataView(this.#bytes.buffer);
    const { piece_bytes, piece_growth } = body_limits;
    this.#size = Math.max(this.#size, Math.min(piece_growth * this.#size, piece_bytes));
    return true;
  }

  /** What was written, which is the taker's own from now on. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.subarray(0, this.#at);
    this.#bytes = new Uint8Array(0);
    this.cut(0);
    return taken;
  }

  /** Puts fragment `i`, in words of 8 bytes: twice to five times as fast as bytes or `set`. */
  putFragment(fragments: Fragments, i: number): void {
    const { view: source, offsets } = fragments;
    const target = this.#view;
    const to = offsets[i + 1];
    let at = this.#at;
    let from = offsets[i];
    this.#at += to - from;
    for (; from < to; from += 8, at += 8) {
      target.setBigUint64(at, source.getBigUint64(from, true), true);
    }
  }

  /** Puts bytes as they are. */
  putBytes(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** Puts bytes up to the first special one; says whether there was none. */
  putPlain(
    bytes: Uint8Array,
    { from, to, special }: {
      readonly from: number;
      readonly to: number;
      /** 1 for each byte that is. */
      readonly special: Uint8Array;
    },
  ): boolean {
    const target = this.#bytes;
    let at = this.#at;
    for (let i = from; i < to; i++) {
      const byte = bytes[i];
      if (special[byte] !== 0) return false;
      target[at++] = byte;
    }
    this.#at = at;
    return true;
  }

  /** Takes back what was written behind the first `length` bytes. */
  cut(length: number): void {
    this.#at = length;
    this.#last.cut(length);
    this.#before.cut(length);
  }

  /** Puts a text of ASCII characters. */
  putAscii(text: string): void {
    for (let i = 0; i < text.length; i++) this.#bytes[this.#at + i] = text.charCodeAt(i);
    this.#at += text.length;
  }

  /** Puts any text. */
  putText(text: string): void {
    this.#at += encoder.encodeInto(text, this.#bytes.subarray(this.#at)).written;
  }

  /**
   * Puts a finite number as JSON does: its shortest text, and -0 as `-0`. One with up to three
   * decimals is written digit by digit: thousandths below 2^31 have fewer than 16 digits, so they
   * are the shortest.
   */
  putNumber(value: number): void {
    const thousandths = Math.round(value * 1000);
    if (thousandths / 1000 !== value || Math.abs(thousandths) >= 2 ** 31) {
      this.#putLong(value);
      return;
    }
    const size = Math.abs(thousandths);
    const whole = (size / 1000) | 0;
    const rest = size - whole * 1000;
    if (value < 0 || 1 / value < 0) this.putCode(0x2d);
    this.putDigits(whole, 1);
    if (rest === 0) return;
    this.putCode(0x2e);
    if (rest % 100 === 0) this.putDigits(rest / 100, 1);
    else if (rest % 10 === 0) this.putDigits(rest / 10, 2);
    else this.putDigits(rest, 3);
  }

  /** To make a text of one takes long, and rows often have a number twice: beside a limit, say. */
  #putLong(value: number): void {
    const known = value === this.#last.value
      ? this.#last
      : value === this.#before.value
      ? this.#before
      : undefined;
    if (known) {
      for (let i = 0; i < known.length; i += 8) {
        this.#view.setBigUint64(this.#at + i, this.#view.getBigUint64(known.at + i, true), true);
      }
      this.#at += known.length;
      return;
    }
    const at = this.#at;
    this.putAscii(String(value));
    [this.#last, this.#before] = [this.#before, this.#last];
    this.#last.set(value, { at, length: this.#at - at });
  }

  /** Puts one ASCII character by its code. */
  putCode(code: number): void {
    this.#bytes[this.#at++] = code;
  }

  /** Puts a whole number below 2^31 with at least `width` digits. */
  putDigits(value: number, width: number): void {
    let digits = width;
    for (let bound = 10 ** width; value >= bound; bound *= 10) digits++;
    let rest = value | 0;
    for (let i = this.#at + digits - 1; i >= this.#at; i--) {
      const tens = (rest / 10) | 0;
      this.#bytes[i] = 0x30 + rest - tens * 10;
      rest = tens;
    }
    this.#at += digits;
  }
}

/** A number that stands in a piece; NaN where it does not any more. */
class LongNumber {
  value = NaN;
  at = 0;
  length = 0;

  set(value: number, { at, length }: { readonly at: number; readonly length: number }): void {
    this.value = value;
    this.at = at;
    this.length = length;
  }

  /** Forgets it where it stands behind `length`, in part or whole. */
  cut(length: number): void {
    if (this.at + this.length > length) this.value = NaN;
  }
}

/** The digits of each number below 10 000, with zeros before it: as one 32-bit number each. */
export const four_digits = Uint32Array.from({ length: 10_000 }, (_, i) => {
  const [high, low] = [(i / 100) | 0, i % 100];
  return 0x30303030 + (((high / 10) | 0) << 24) + (high % 10 << 16) + (((low / 10) | 0) << 8) +
    low % 10;
});

/** Prints instants as RFC 3339 with six decimals, between `open` and `close`. */
export class InstantText {
  readonly #open: string;
  readonly #close: string;
  #text = fragmentsOf([""]);
  #time_at = 0;
  #day = NaN;
  #second = NaN;

  constructor(open: string, close: string) {
    this.#open = open;
    this.#close = close;
  }

  /** The text of microseconds since 1970, as fragment 0, until the next call. */
  of(at_us: number): Fragments {
    const at_s = Math.floor(at_us / 1e6);
    if (at_s !== this.#second) this.#setSecond(at_s);
    const { view } = this.#text;
    const micros = (at_us - at_s * 1e6) | 0;
    const high = (micros / 10_000) | 0;
    view.setUint16(this.#time_at + 9, four_digits[high] & 0xffff);
    view.setUint32(this.#time_at + 11, four_digits[micros - high * 10_000]);
    return this.#text;
  }

  #setSecond(at_s: number): void {
    const day = Math.floor(at_s / 86_400);
    if (day !== this.#day) this.#setDay(day);
    const of_day = at_s - day * 86_400;
    const { view } = this.#text;
    writeDigits(view, this.#time_at, { value: of_day / 3600, count: 2 });
    writeDigits(view, this.#time_at + 3, { value: of_day % 3600 / 60, count: 2 });
    writeDigits(view, this.#time_at + 6, { value: of_day % 60, count: 2 });
    this.#second = at_s;
  }

  #setDay(day: number): void {
    const iso = new Date(day * 86_400_000).toISOString();
    const date = iso.slice(0, iso.indexOf("T") + 1);
    this.#text = fragmentsOf([`${this.#open}${date}00:00:00.000000Z${this.#close}`]);
    this.#time_at = this.#text.longest - this.#close.length - "00:00:00.000000Z".length;
    this.#day = day;
  }
}

function writeDigits(
  view: DataView,
  at: number,
  { value, count }: { readonly value: number; readonly count: number },
): void {
  let rest = value | 0;
  for (let i = at + count - 1; i >= at; i--) {
    const tens = (rest / 10) | 0;
    view.setUint8(i, 0x30 + rest - tens * 10);
    rest = tens;
  }
}
