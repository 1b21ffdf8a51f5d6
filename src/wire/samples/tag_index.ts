// Tag names, each numbered once; looked up by their bytes without making a string.
import type { Meter } from "../../base/budget.ts";
import { type Span, strictTextOf } from "../../base/bytes.ts";
import { textBytes } from "../../base/heap.ts";
import { limits } from "../../base/limits.ts";
import type { TagLane } from "../../model/plant/plant.ts";
import { sample_limits } from "../../model/samples/limits.ts";

/** The first byte of a mark of byte order, and of some letters. */
const mark_begin = 0xef;

/** Bytes of a name's places in the lists below. */
const name_bytes = 64;

/** The distinct tag names of a body, or of all bodies of a project, in the order they came. */
export class TagIndex {
  readonly names: string[] = [];
  /** Rows of the last body. */
  last_rows = 0;
  /** Series of line protocol, whose fields are tags. */
  readonly series = new SeriesIndex();
  readonly #codes = new Map<string, number>();
  readonly #spelled = new ByteIndex();
  readonly #spelled_codes: number[] = [];
  readonly #onGrown: (bytes: number) => void;
  #names_bytes = 0;

  /** `onGrown` is told of the bytes of what bodies added. */
  constructor(onGrown: (bytes: number) => void = () => {}) {
    this.#onGrown = onGrown;
  }

  /** Bytes that it holds. */
  get held_bytes(): number {
    return this.#names_bytes + this.#spelled.held_bytes + this.series.held_bytes;
  }

  /** Lets a body add to it what `meter` is to count. */
  grow<T>(meter: Meter, add: () => T): T {
    const before = this.held_bytes;
    const added = add();
    const bytes = this.held_bytes - before;
    this.#onGrown(bytes);
    meter.take(bytes);
    return added;
  }

  /** The number of a name, which is added where it is not there. */
  add(name: string): number {
    let code = this.#codes.get(name);
    if (code === undefined) {
      this.#names_bytes += name_bytes + textBytes(name);
      code = this.names.push(name) - 1;
      this.#codes.set(name, code);
    }
    return code;
  }

  /** The number of the name that was added as a run of `bytes`, or -1. */
  find(bytes: Uint8Array, span: Span): number {
    const place = this.#spelled.find(bytes, span);
    return place < 0 ? -1 : this.#spelled_codes[place];
  }

  nextAt(view: DataView, at: number, is_quoted: boolean): number {
    return this.#spelled.nextAt(view, at, is_quoted);
  }

  takeNext(): number {
    return this.#spelled_codes[this.#spelled.takeNext()];
  }

  /** Adds the name whose UTF-8 is a run of `bytes`; its number, or why that is no name. */
  addAt(bytes: Uint8Array, span: Span): number | string {
    const name = strictTextOf(bytes.subarray(span.start, span.end));
    const flaw = name === undefined ? "is not UTF-8" : tagFlaw(name);
    if (flaw !== undefined) return flaw;
    const code = this.add(name as string);
    this.spell(bytes, span, code);
    return code;
  }

  /** Lets a run of `bytes` spell the name of a number. */
  spell(bytes: Uint8Array, span: Span, code: number): void {
    this.#spelled.add(bytes, span);
    this.#spelled_codes.push(code);
  }
}

/** The names as one body uses them: what it adds is counted by its meter. */
export class BodyTags {
  readonly #index: TagIndex;
  readonly #meter: Meter;

  constructor(index: TagIndex, meter: Meter) {
    this.#index = index;
    this.#meter = meter;
  }

  get names(): readonly string[] {
    return this.#index.names;
  }

  /** Rows of the last body that used them; the next one is mostly as large. */
  get last_rows(): number {
    return this.#index.last_rows;
  }

  /** Notes how many rows this body has. */
  noteRows(rows: number): void {
    this.#index.last_rows = rows;
  }

  /** The number of a name; the caller has checked it with `tagFlaw`. */
  codeOf(name: string): number {
    return this.#index.grow(this.#meter, () => this.#index.add(name));
  }

  /** The number of the name whose UTF-8 is a run of `bytes`, or why that is no name. */
  codeAt(bytes: Uint8Array, span: Span): number | string {
    const code = this.#index.find(bytes, span);
    return code >= 0 ? code : this.#index.grow(this.#meter, () => this.#index.addAt(bytes, span));
  }

  /** The number of the name that is spelled as a run of `bytes`, or -1. */
  find(bytes: Uint8Array, span: Span): number {
    return this.#index.find(bytes, span);
  }

  /**
   * The length of the tag that came next the time before, where it lies at `at`; else -1. No sign
   * of it ends a text `is_quoted`, or a cell without quotes; what follows it is not looked at.
   */
  nextAt(view: DataView, at: number, is_quoted: boolean): number {
    return this.#index.nextAt(view, at, is_quoted);
  }

  /** The number of that tag, which has come. */
  takeNext(): number {
    return this.#index.takeNext();
  }

  /** Lets a run of `bytes` that is no name's UTF-8, and was not found, spell that of a number. */
  spell(bytes: Uint8Array, span: Span, code: number): void {
    this.#index.grow(this.#meter, () => this.#index.spell(bytes, span, code));
  }

  /** The series that is spelled as a run of `bytes`; `nameOf` reads it where it is new. */
  seriesAt(
    bytes: Uint8Array,
    span: Span,
    nameOf: (text: string) => string | undefined,
  ): Series | undefined {
    const { series } = this.#index;
    const known = series.find(bytes, span);
    if (known !== undefined) return known;
    const text = strictTextOf(bytes.subarray(span.start, span.end));
    const name = text === undefined ? undefined : nameOf(text);
    if (name === undefined) return undefined;
    return this.#index.grow(this.#meter, () => series.add(bytes, span, name));
  }

  /** The number of the tag that a field of a series is, or -1 where it may be none. */
  fieldAt(series: Series, bytes: Uint8Array, span: Span): number {
    const code = series.codes[this.#index.series.fieldAt(bytes, span)];
    if (code !== undefined) return code;
    // A text that begins with a mark of byte order loses it, which belongs to the name here.
    const text = bytes[span.start] === mark_begin
      ? undefined
      : strictTextOf(bytes.subarray(span.start, span.end));
    if (text === undefined) return -1;
    const name = `${series.name}.${text}`;
    if (tagFlaw(name) !== undefined) return -1;
    return this.#index.grow(this.#meter, () => {
      const code = this.#index.add(name);
      this.#index.series.note(series, code, { bytes, span });
      return code;
    });
  }
}

/** An index for the bodies of each project and lane; all begin anew when they grow too large. */
export class TagCache {
  readonly #indexes = new Map<string, TagIndex>();
  #held_bytes = 0;

  /** The index for the next body. */
  of(project_no: number, lane: TagLane): TagIndex {
    const key = `${project_no} ${lane}`;
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    const index = new TagIndex((bytes) => {
      // One that a body still uses after the others began anew goes with that body.
      if (this.#indexes.get(key) === index) this.#take(bytes);
    });
    this.#indexes.set(key, index);
    return index;
  }

  #take(bytes: number): void {
    this.#held_bytes += bytes;
    if (this.#held_bytes <= sample_limits.tag_cache_bytes) return;
    this.#indexes.clear();
    this.#held_bytes = 0;
  }
}

/** Bytes of a series beside its name and its spelling, and of a field of it. */
const series_bytes = 200;
const field_bytes = 16;

/** What the names of a series' tags begin with, and the numbers of these tags by field. */
type Series = { readonly name: string; readonly codes: number[] };

/** The series and the names of fields that were read, each looked up by its bytes. */
class SeriesIndex {
  readonly #spelled = new ByteIndex();
  readonly #series: Series[] = [];
  readonly #fields = new ByteIndex();
  #lists_bytes = 0;

  /** Bytes that it holds. */
  get held_bytes(): number {
    return this.#lists_bytes + this.#spelled.held_bytes + this.#fields.held_bytes;
  }

  /** The series that is spelled like this, if one was. */
  find(bytes: Uint8Array, span: Span): Series | undefined {
    const place = this.#spelled.find(bytes, span);
    return place < 0 ? undefined : this.#series[place];
  }

  /** Adds a series that is not there. */
  add(bytes: Uint8Array, span: Span, name: string): Series {
    const series = { name, codes: [] };
    this.#spelled.add(bytes, span);
    this.#series.push(series);
    this.#lists_bytes += series_bytes + textBytes(name);
    return series;
  }

  /** The number of a name of a field, or -1. */
  fieldAt(bytes: Uint8Array, span: Span): number {
    return this.#fields.find(bytes, span);
  }

  /** Notes the tag that a field of a series is. */
  note(series: Series, code: number, { bytes, span }: { bytes: Uint8Array; span: Span }): void {
    const known = this.#fields.find(bytes, span);
    series.codes[known < 0 ? this.#fields.add(bytes, span) : known] = code;
    this.#lists_bytes += field_bytes;
  }
}

/** Why `name` can't name a tag, or undefined: the end of a sentence that begins with `tag`. */
export function tagFlaw(name: string): string | undefined {
  if (name === "") return "is empty";
  if (name.length > limits.tag_length) return `is longer than ${limits.tag_length} characters`;
  // deno-lint-ignore no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(name)) return "holds a control character";
  return name.isWellFormed() ? undefined : "holds half of a surrogate pair";
}

/** Bytes that a run takes beside its own. */
const place_bytes = 32;

/** The distinct runs that were added, in order. */
class ByteIndex {
  #count = 0;
  #bytes = new Uint8Array(1024);
  /** Run i is `[ends[i], ends[i + 1])` of the bytes. */
  #ends = new Int32Array(64);
  /** Places by hash, -1 where none; open addressing, at most half full. */
  #slots = new Int32Array(128).fill(-1);
  /** By place of a run, which one was asked for after it: bodies repeat their order. */
  #next = new Int32Array(64);
  #last = 0;
  /** By place, where a run may stand so that what comes behind it ends it. */
  #stands = new Uint8Array(64);
  #view = new DataView(this.#bytes.buffer);

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

  /** The length of the run that came after the last one before, where it lies at `at`; else -1. */
  nextAt(view: DataView, at: number, is_quoted: boolean): number {
    const guess = this.#next[this.#last];
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
    return this.#last = this.#next[this.#last];
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
