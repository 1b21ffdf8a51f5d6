// FlatBuffers: what the headers of an Arrow stream are, as tables to be read and to be written.
// https://flatbuffers.dev/internals
import { utf8 } from "../../base/bytes.ts";

/** A table that is read; what lies outside of its bytes throws a RangeError. */
export class FlatTable {
  readonly #view: DataView;
  readonly #at: number;
  readonly #slots: number;

  constructor(view: DataView, at: number) {
    this.#view = view;
    this.#at = at;
    this.#slots = at - view.getInt32(at, true);
    view.getUint16(this.#slots, true);
  }

  byte(slot: number): number {
    const at = this.#place(slot);
    return at === 0 ? 0 : this.#view.getUint8(at);
  }

  long(slot: number): number {
    const at = this.#place(slot);
    return at === 0 ? 0 : this.longAt(at);
  }

  longAt(at: number): number {
    return Number(this.#view.getBigInt64(at, true));
  }

  table(slot: number): FlatTable | undefined {
    const at = this.#place(slot);
    return at === 0 ? undefined : this.tableAt(at);
  }

  tableAt(at: number): FlatTable {
    return new FlatTable(this.#view, at + this.#view.getUint32(at, true));
  }

  /** Where a vector's items of `item_bytes` start, and how many there are. */
  vector(slot: number, item_bytes: number): { readonly at: number; readonly length: number } {
    const place = this.#place(slot);
    if (place === 0) return { at: 0, length: 0 };
    const at = place + this.#view.getUint32(place, true);
    const length = this.#view.getUint32(at, true);
    const end = at + 4 + length * item_bytes;
    if (end > this.#view.byteLength) throw new RangeError("a vector ends outside of its bytes");
    return { at: at + 4, length };
  }

  #place(slot: number): number {
    const entry = 4 + 2 * slot;
    if (entry >= this.#view.getUint16(this.#slots, true)) return 0;
    const offset = this.#view.getUint16(this.#slots + entry, true);
    return offset === 0 ? 0 : this.#at + offset;
  }
}

/** The bytes of each kind of a field; a place is that of something written before. */
const widths = { int8: 1, int16: 2, int32: 4, int64: 8, place: 4 } as const;

/** A field of a table; one that is 0 is left out, which is read as 0. */
export type FlatField = readonly [slot: number, kind: keyof typeof widths, value: number];

const first_bytes = 1024;
const word = 2 ** 32;

/**
 * Writes a message from its end to its begin: what something refers to is written before it. A
 * place is how far from the end something begins.
 */
export class FlatWriter {
  /** All below `#from` is 0. */
  #bytes = new Uint8Array(first_bytes);
  #view = new DataView(this.#bytes.buffer);
  #from = first_bytes;
  #widest = 1;
  /** Where the slots of tables are told, which tables of the same slots have in common. */
  readonly #layouts = new Map<string, number>();

  /** A text; gives its place. */
  text(text: string): number {
    const bytes = utf8(text);
    this.#align(4, bytes.length + 1);
    this.#from -= bytes.length + 1;
    this.#bytes.set(bytes, this.#from);
    return this.#put("int32", bytes.length);
  }

  /** A list of what is at some places; gives its own. */
  list(places: readonly number[]): number {
    this.#align(4, 4 * places.length);
    for (const place of places.toReversed()) this.#put("place", place);
    return this.#put("int32", places.length);
  }

  /** A list of pairs of whole numbers, each of 64 bits; gives its place. */
  pairs(pairs: readonly (readonly [number, number])[]): number {
    this.#align(8, 16 * pairs.length);
    for (const [first, second] of pairs.toReversed()) {
      this.#put("int64", second);
      this.#put("int64", first);
    }
    return this.#put("int32", pairs.length);
  }

  /** A table, its fields in the order of writing; gives its place. */
  table(fields: readonly FlatField[]): number {
    const begin = this.#size;
    const slots: number[] = [];
    for (const [slot, kind, value] of fields) {
      if (value === 0) continue;
      this.#align(widths[kind], 0);
      slots[slot] = this.#put(kind, value);
    }
    this.#align(4, 0);
    const place = this.#put("int32", 0);
    const offsets = Array.from(slots, (at) => at === undefined ? 0 : place - at);
    const layout = this.#layout([4 + 2 * slots.length, place - begin, ...offsets]);
    this.#view.setInt32(this.#bytes.length - place, layout - place, true);
    return place;
  }

  /** The whole, of which the table at a place is the root. */
  message(root: number): Uint8Array<ArrayBuffer> {
    this.#align(this.#widest, 4);
    this.#put("place", root);
    return this.#bytes.subarray(this.#from);
  }

  get #size(): number {
    return this.#bytes.length - this.#from;
  }

  #layout(layout: readonly number[]): number {
    const key = layout.join();
    const known = this.#layouts.get(key);
    if (known !== undefined) return known;
    for (const part of layout.toReversed()) this.#put("int16", part);
    this.#layouts.set(key, this.#size);
    return this.#size;
  }

  /** Makes room for something of a width and what goes before it, so that it lies by its width. */
  #align(width: number, more: number): void {
    this.#widest = Math.max(this.#widest, width);
    const padding = -(this.#size + more) & (width - 1);
    const needed = this.#size + padding + more + width;
    if (needed > this.#bytes.length) this.#grow(needed);
    this.#from -= padding;
  }

  #grow(needed: number): void {
    const grown = new Uint8Array(2 * needed);
    grown.set(this.#bytes.subarray(this.#from), grown.length - this.#size);
    this.#from = grown.length - this.#size;
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }

  #put(kind: keyof typeof widths, value: number): number {
    if (this.#from < widths[kind]) this.#grow(this.#size + widths[kind]);
    const at = this.#from -= widths[kind];
    if (kind === "int8") this.#view.setInt8(at, value);
    else if (kind === "int16") this.#view.setInt16(at, value, true);
    else if (kind === "int32") this.#view.setInt32(at, value, true);
    else if (kind === "place") this.#view.setInt32(at, this.#size - value, true);
    else {
      this.#view.setUint32(at, value % word, true);
      this.#view.setInt32(at + 4, Math.floor(value / word), true);
    }
    return this.#size;
  }
}
