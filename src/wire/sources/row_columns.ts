// Samples of a source that wait for their commit, in columns.
import { qualityOf, type SampleBatch } from "../../model/samples/sample.ts";
import { SampleBatchBuilder } from "../samples/sample_builder.ts";
import type { TagIndex } from "../samples/tag_index.ts";
import type { MessageRow } from "./mqtt_message.ts";

const no_status = -1;

/**
 * Rows in the order they came. Nothing of one is an object: what waits for a second outlives the
 * young heap, and to move thousands of objects from there costs more than to read them.
 */
export class RowColumns implements Iterable<MessageRow> {
  readonly #tags: string[] = [];
  readonly #ts_us: number[] = [];
  /** NaN where there is none, or another. */
  readonly #numbers: number[] = [];
  readonly #others = new Map<number, bigint | string>();
  readonly #statuses: number[] = [];

  /** The same rows in columns. */
  static of(rows: Iterable<MessageRow>): RowColumns {
    if (rows instanceof RowColumns) return rows;
    const columns = new RowColumns();
    for (const row of rows) columns.add(row);
    return columns;
  }

  get length(): number {
    return this.#tags.length;
  }

  add({ tag, ts_us, value, status_code = no_status }: MessageRow): void {
    if (typeof value === "bigint" || typeof value === "string") {
      this.#others.set(this.#tags.length, value);
    }
    this.#tags.push(tag);
    this.#ts_us.push(ts_us);
    this.#numbers.push(typeof value === "number" ? value : NaN);
    this.#statuses.push(status_code);
  }

  tagAt(i: number): string {
    return this.#tags[i];
  }

  tsAt(i: number): number {
    return this.#ts_us[i];
  }

  hasValue(i: number): boolean {
    return !Number.isNaN(this.#numbers[i]) || this.#others.has(i);
  }

  /** The rows [from, to) as a body: the line of each is its place here. */
  batch(from: number, to: number, tags: TagIndex): SampleBatch {
    const builder = new SampleBatchBuilder("signal", { tags });
    for (let i = from; i < to; i++) {
      const status = this.#statuses[i];
      builder.start(builder.tags.codeOf(this.#tags[i]), this.#ts_us[i], i);
      const other = this.#others.get(i);
      if (other === undefined) builder.float(this.#numbers[i]);
      else if (typeof other === "string") builder.text(other);
      else builder.integer(other);
      builder.quality(qualityOf(status === no_status ? 0 : status));
      if (status !== no_status) builder.status(status);
    }
    return builder.build();
  }

  *[Symbol.iterator](): Generator<MessageRow, void> {
    for (let i = 0; i < this.length; i++) {
      const [number, status_code] = [this.#numbers[i], this.#statuses[i]];
      const value = this.#others.get(i) ?? (Number.isNaN(number) ? undefined : number);
      yield {
        ...{ tag: this.#tags[i], ts_us: this.#ts_us[i] },
        ...(value !== undefined && { value }),
        ...(status_code !== no_status && { status_code }),
      };
    }
  }
}
