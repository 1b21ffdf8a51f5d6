// Stores forecast rows, of which the last one said stays, and reads the points of runs.
import forecast_points_sql from "./forecast_list.sql" with { type: "text" };
import { assert } from "../../base/assert.ts";
import type { Chunk } from "../../model/data/chunk.ts";
import type { ForecastBatch } from "../../model/samples/sample.ts";
import type { Connection } from "../connection.ts";
import type { Write } from "../database.ts";
import { statement } from "../statement.ts";
import { table } from "../table.ts";

/** One expected value of one run of a forecast. */
table("forecast", {
  tag_no: "int32",
  ts: "instant",
  issued_at: "instant",
  received_at: "instant",
  value: "float64?",
});

/** Stores the remaining forecast rows. */
const forecast_insert = statement({
  sql: `
    INSERT INTO forecast (tag_no, ts, issued_at, received_at, value)
    SELECT tag_no, ts, issued_at, $received_at::BIGINT, value
    FROM forecast_suspect
    ORDER BY row_no`,
  parameters: { received_at: "instant" },
});

/** Deletes the stored forecast rows that the remaining ones replace. */
const forecast_replace = statement({
  sql: `
    DELETE FROM forecast
    USING forecast_suspect
    WHERE
      forecast.tag_no = forecast_suspect.tag_no
      AND forecast.ts = forecast_suspect.ts
      AND forecast.issued_at = forecast_suspect.issued_at`,
});

/**
 * The forecast rows under whose times something is stored, and whether it is exactly the same;
 * unordered, for they are only counted.
 */
const forecast_find = statement({
  sql: `
    SELECT s.row_no, coalesce(f.value = s.value, false) AS same
    FROM forecast_suspect AS s
    JOIN forecast AS f ON f.tag_no = s.tag_no AND f.ts = s.ts AND f.issued_at = s.issued_at`,
  row: { row_no: "int32", same: "bool" },
});

/** Takes out those that are stored exactly so. */
const forecast_settle = statement({
  sql: "DELETE FROM forecast_suspect WHERE row_no IN (SELECT unnest($row_nos::INTEGER[]))",
  parameters: { row_nos: "int32[]" },
});

/** Makes the room for forecast rows on their way in, once per connection. */
const forecast_suspect_make = statement({
  sql: `
    CREATE TEMP TABLE IF NOT EXISTS forecast_suspect (
      row_no INTEGER, tag_no INTEGER, ts BIGINT, issued_at BIGINT, value DOUBLE
    )`,
});

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

/**
 * Stores rows (number, tag, ts, issued_at, value), each (tag, ts, issued_at) once. Gives the
 * numbers of those that were stored exactly so already, and of those that replace others.
 */
export async function storeForecasts(
  { connection, stamp_us }: Write,
  forecasts: Chunk,
): Promise<{ readonly same: readonly number[]; readonly replacing: readonly number[] }> {
  await connection.run(forecast_suspect_make);
  await connection.append("forecast_suspect", forecasts);
  const found = await connection.rows(forecast_find);
  const same = found.filter((row) => row.same).map(({ row_no }) => row_no);
  const replacing = found.filter((row) => !row.same).map(({ row_no }) => row_no);
  if (same.length > 0) await connection.run(forecast_settle, { row_nos: same });
  if (replacing.length > 0) await connection.run(forecast_replace);
  await connection.run(forecast_insert, { received_at: stamp_us });
  await connection.run(suspects_delete);
  return { same, replacing };
}

/** Empties the list of rows that were looked at. */
const suspects_delete = statement({ sql: "DELETE FROM forecast_suspect" });

/** Points of `[from_us, to_us)`, of runs issued before `before_us`. */
export type ForecastWindow = {
  readonly from_us: number;
  readonly to_us: number;
  readonly before_us: number;
};

/** Points by source, run (`issued_us`) and time; `minute` has its fraction. */
export type ForecastPoints = {
  readonly source_no: Int32Array;
  readonly issued_us: Float64Array;
  readonly minute: Float64Array;
  readonly value: Float64Array;
};

const forecast_points = statement({
  sql: forecast_points_sql,
  parameters: {
    source_nos: "int32[]",
    tag_nos: "int32[]",
    from_us: "instant",
    to_us: "instant",
    before_us: "instant",
  },
  row: { source_no: "int32", issued_us: "float64", minute: "float64", value: "float64" },
});

/** The points of the tags `tag_nos`, each under its place in that list. */
export async function* readForecasts(
  connection: Connection,
  tag_nos: Int32Array,
  window: ForecastWindow,
): AsyncGenerator<ForecastPoints, void> {
  const source_nos = tag_nos.map((_, i) => i);
  for await (
    const { vectors } of connection.chunks(forecast_points, { source_nos, tag_nos, ...window })
  ) {
    const [source_no, ...numbers] = vectors;
    assert(source_no.kind === "int32", "a source's number is int32");
    const [issued_us, minute, value] = numbers.map((vector) => {
      assert(vector.kind === "float64", "a point's numbers are float64");
      return vector.values;
    });
    yield { source_no: source_no.values, issued_us, minute, value };
  }
}
