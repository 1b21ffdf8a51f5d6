// Texts that rows are put together from, as bytes in one memory.

/** Bytes behind the last one that a copy of two 8-byte words and more may touch. */
export const slack = 16;

const encoder = new TextEncoder();

/** The digits of each number below 10 000, with zeros before it: as one 32-bit number each. */
export const four_digits = Uint32Array.from({ length: 10_000 }, (_, i) => {
  const [high, low] = [(i / 100) | 0, i % 100];
  return 0x30303030 + (((high / 10) | 0) << 24) + (high % 10 << 16) + (((low / 10) | 0) << 8) +
    low % 10;
});

/** Where a text stands. */
export type Text = { readonly from: number; readonly to: number };

/** Texts one behind the other in memory that grows: text [from, to) is told by these two. */
export class TextStore {
  #bytes = new Uint8Array(0);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;

  /** Bytes of all texts: where the next one begins. */
  get length(): number {
    return this.#at;
  }

  /** The memory of the texts, until the next one is put. */
  get view(): DataView<ArrayBuffer> {
    return this.#view;
  }

  /** Forgets the texts behind the first `length` bytes. */
  cut(length: number): void {
    this.#at = length;
  }

  /** Puts any text. */
  putText(text: string): void {
    this.#makeRoom(3 * text.length);
    this.#at += encoder.encodeInto(text, this.#bytes.subarray(this.#at)).written;
  }

  /** Puts bytes as they are. */
  putBytes(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** Puts a text again, or one of another store, in words of 8 bytes. */
  repeat({ from, to }: Text, store: TextStore = this): void {
    this.#makeRoom(to - from);
    const [view, source] = [this.#view, store.#view];
    for (let i = 0; i < to - from; i += 8) {
      view.setBigUint64(this.#at + i, source.getBigUint64(from + i, true), true);
    }
    this.#at += to - from;
  }

  /** Puts a text of a few ASCII characters. */
  putAscii(text: string): void {
    this.#makeRoom(text.length);
    for (let i = 0; i < text.length; i++) this.#bytes[this.#at + i] = text.charCodeAt(i);
    this.#at += text.length;
  }

  /** Puts one ASCII character by its code. */
  putCode(code: number): void {
    this.#makeRoom(1);
    this.#bytes[this.#at++] = code;
  }

  /** Puts a whole number below 10^9 with at least `width` digits. */
  putDigits(value: number, width: number): void {
    let digits = 1;
    for (let bound = 10; digits < 9 && value >= bound; bound *= 10) digits++;
    digits = Math.max(digits, width);
    this.#makeRoom(digits);
    let rest = value | 0;
    for (let i = this.#at + digits - 1; i >= this.#at; i--) {
      const tens = (rest / 10) | 0;
      this.#bytes[i] = 0x30 + rest - tens * 10;
      rest = tens;
    }
    this.#at += digits;
  }

  #makeRoom(count: number): void {
    const wanted = this.#at + count + slack;
    if (wanted <= this.#bytes.length) return;
    const bytes = new Uint8Array(2 * wanted);
    bytes.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }
}
