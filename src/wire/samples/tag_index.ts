// Tag names, each numbered once; looked up by their bytes without making a string.
import type { Meter } from "../../base/budget.ts";
import { type Span, strictTextOf } from "../../base/bytes.ts";
import { textBytes } from "../../base/heap.ts";
import { limits } from "../../base/limits.ts";
import type { TagLane } from "../../model/plant/plant.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import { ByteIndex } from "./byte_index.ts";
import { type Series, SeriesIndex } from "./series_index.ts";

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

  /** The series that were read, with the numbers of their fields' tags. */
  get series(): SeriesIndex {
    return this.#index.series;
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

/** Why `name` can't name a tag, or undefined: the end of a sentence that begins with `tag`. */
export function tagFlaw(name: string): string | undefined {
  if (name === "") return "is empty";
  if (name.length > limits.tag_length) return `is longer than ${limits.tag_length} characters`;
  // deno-lint-ignore no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(name)) return "holds a control character";
  return name.isWellFormed() ? undefined : "holds half of a surrogate pair";
}
