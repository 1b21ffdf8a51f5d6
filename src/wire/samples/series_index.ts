// Series of line protocol and their fields, which are tags: each is looked up by its bytes.
import type { Span } from "../../base/bytes.ts";
import { textBytes } from "../../base/heap.ts";
import { ByteIndex } from "./byte_index.ts";

/** Bytes of a series beside its name and its spelling, and of a field of it. */
const series_bytes = 200;
const field_bytes = 16;

/** What the names of a series' tags begin with, and the numbers of these tags by field. */
export type Series = { readonly name: string; readonly codes: number[] };

/** The series and the names of fields that were read, each looked up by its bytes. */
export class SeriesIndex {
  readonly #spelled = new ByteIndex();
  readonly #series: Series[] = [];
  readonly #fields = new ByteIndex();
  #lists_bytes = 0;
  #held_series = 0;
  #held_field = 0;

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

  /** The length of the series that came next the time before, where it lies at `at`; else -1. */
  nextAt(view: DataView, at: number): number {
    return this.#spelled.nextAt(view, at, true);
  }

  /** That series, which has come. */
  takeNext(): Series {
    return this.#series[this.#spelled.takeNext()];
  }

  /** The same of a field. */
  nextFieldAt(view: DataView, at: number): number {
    return this.#fields.nextAt(view, at, true);
  }

  /** The number of the tag that it is in a series, or -1 where it was none before. */
  takeNextField({ codes }: Series): number {
    return codes[this.#fields.takeNext()] ?? -1;
  }

  /** Holds the place among series and fields, to go back there from a line that is not taken. */
  holdPlace(): void {
    this.#held_series = this.#spelled.place;
    this.#held_field = this.#fields.place;
  }

  goBack(): void {
    this.#spelled.place = this.#held_series;
    this.#fields.place = this.#held_field;
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
