// Series of line protocol as they are spelled, with the tag that each of their fields is.
import type { Span } from "../../base/bytes.ts";
import { textBytes } from "../../base/heap.ts";
import { ByteIndex } from "../bytes/byte_index.ts";

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
