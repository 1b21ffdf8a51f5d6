// The forecast rows of one transaction: each (tag, ts, issue) once, the last one said.
import type { Chunk } from "../../model/data/chunk.ts";
import type { ForecastBatch } from "../../model/samples/sample.ts";

type StagedForecast = {
  readonly tag_no: number;
  readonly ts: bigint;
  readonly issued_at: bigint;
  readonly value: number;
  readonly owner: number;
};

/** Gathers rows in order and finds repeats among them. */
export class ForecastStage {
  readonly #rows: StagedForecast[] = [];
  readonly #places = new Map<string, number>();

  get rows(): number {
    return this.#rows.length;
  }

  ownerAt(row: number): number {
    return this.#rows[row].owner;
  }

  /** Takes row `row` of a batch. False when the same row stands here already. */
  put(
    batch: ForecastBatch,
    row: number,
    { tag_no, owner }: { readonly tag_no: number; readonly owner: number },
  ): boolean {
    const [ts, issued_at, value] = [batch.ts[row], batch.issued_at[row], batch.value[row]];
    const key = `${tag_no} ${ts} ${issued_at}`;
    const before = this.#places.get(key);
    if (before !== undefined && this.#rows[before].value === value) return false;
    const place = before ?? this.#rows.length;
    this.#places.set(key, place);
    this.#rows[place] = { tag_no, ts, issued_at, value, owner };
    return true;
  }

  /** The rows as table `forecast_suspect` has them: number, tag, ts, issue, value. */
  chunk(): Chunk {
    const rows = this.#rows;
    return {
      rows: rows.length,
      vectors: [
        { kind: "int32", values: Int32Array.from(rows, (_, i) => i) },
        { kind: "int32", values: Int32Array.from(rows, (row) => row.tag_no) },
        { kind: "instant", values: BigInt64Array.from(rows, (row) => row.ts) },
        { kind: "instant", values: BigInt64Array.from(rows, (row) => row.issued_at) },
        { kind: "float64", values: Float64Array.from(rows, (row) => row.value) },
      ],
    };
  }
}
