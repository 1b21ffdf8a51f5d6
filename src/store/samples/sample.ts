// Stores samples: finds what is stored already, replaces what differs, appends the rest.
import newest_read_sql from "./newest_read.sql" with { type: "text" };
import suspect_find_sql from "./suspect_find.sql" with { type: "text" };
import { assert } from "../../base/assert.ts";
import { type Chunk, hasAny } from "../../model/data/chunk.ts";
import type { Connection } from "../connection.ts";
import { suspectWholes, unfold } from "../rollup/whole.ts";
import { statement } from "../statement.ts";
import { table } from "../table.ts";

/** A sample as sent, in the order of storing. */
const sample = table("sample", {
  tag_no: "int32",
  ts: "instant",
  received_at: "instant",
  value: "float64?",
  value_int: "int64?",
  value_str: "text?",
  quality: "uint8?",
  status_code: "uint32?",
});

/** The newest time of all samples: it looks only where that may be, which a maximum does not. */
const newest_find = statement({
  reach: "near",
  sql: "SELECT ts AS newest FROM sample ORDER BY ts DESC LIMIT 1",
  row: { newest: "instant" },
});

/** The newest `ts` of any sample, in microseconds since 1970; undefined when there is none. */
export async function newestSample(connection: Connection): Promise<number | undefined> {
  const [found] = await connection.rows(newest_find);
  return found?.newest;
}

const newest_read = statement({
  sql: newest_read_sql,
  reach: "near",
  parameters: { reach_us: "int64", latest_us: "instant" },
  row: {
    tag_no: "int32",
    ts_us: "instant",
    received_us: "instant",
    number: "float64?",
    word: "text?",
    quality: "int32?",
  },
});

/** The newest sample of each tag up to `latest_us`, if in `reach_us` before the newest of all. */
export async function newestValues(
  connection: Connection,
  range: { readonly reach_us: number; readonly latest_us: number },
) {
  const rows = await connection.rows(newest_read, range);
  return rows.map(({ number, word, ...row }) => ({ ...row, value: number ?? word }));
}

/** A range of `ts`, both ends within. */
export type TsRange = { readonly from_us: number; readonly to_us: number };

/** Deletes the stored samples that the remaining suspects replace. */
const sample_replace = statement({
  reach: "near",
  sql: `
    DELETE FROM sample
    USING suspect
    WHERE
      sample.tag_no = suspect.tag_no
      AND sample.ts = suspect.ts
      AND sample.ts BETWEEN $from_us::BIGINT AND $to_us::BIGINT`,
  parameters: { from_us: "instant", to_us: "instant" },
});

/** Makes the room for rows that may be stored already, once per connection. */
const suspect_make = statement({
  sql: `
    CREATE TEMP TABLE IF NOT EXISTS suspect (
      row_no INTEGER, tag_no INTEGER, ts BIGINT,
      value DOUBLE, value_int BIGINT, value_str VARCHAR, quality UTINYINT, status_code UINTEGER
    )`,
});

const suspect_find = statement({
  sql: suspect_find_sql,
  reach: "near",
  parameters: { from_us: "instant", to_us: "instant" },
  row: { row_no: "int32", same: "bool" },
});

/** Takes out those that were found. To give rows that it deletes, the library fetches each. */
const suspect_settle = statement({
  sql: "DELETE FROM suspect WHERE row_no IN (SELECT unnest($row_nos::INTEGER[]))",
  parameters: { row_nos: "int32[]" },
});

/** Numbers of rows: those that are stored exactly so, rising, and those that replace others. */
export type Settled = { readonly same: Int32Array; readonly replacing: Int32Array };

/**
 * Settles rows (number, tag, ts, values) that may be stored already, all with `from_us` ≤ ts ≤
 * `to_us`. Of those that are not stored exactly so, what is stored under their (tag, ts) is
 * deleted, for them to be appended. The whole quarter-hours that they are of are unfolded before.
 */
export async function settleSuspects(
  connection: Connection,
  suspects: Chunk,
  range: TsRange,
): Promise<Settled> {
  await connection.run(suspect_make);
  await connection.append("suspect", suspects);
  const { vectors: [row_no, is_same] } = await connection.chunk(suspect_find, range);
  assert(row_no.kind === "int32" && is_same.kind === "bool", "a row's number, and if it is so");
  const same = row_no.values.filter((_, i) => is_same.values[i] === 1).sort();
  const replacing = row_no.values.filter((_, i) => is_same.values[i] === 0);
  if (same.length < suspects.rows) {
    if (same.length > 0) await connection.run(suspect_settle, { row_nos: same });
    await unfold(connection, await suspectWholes(connection, range));
    if (replacing.length > 0) await connection.run(sample_replace, range);
  }
  await connection.run(suspects_delete);
  return { same, replacing };
}

/** Empties the list of rows that were looked at. */
const suspects_delete = statement({ sql: "DELETE FROM suspect" });

const sample_columns = Object.keys(sample.columns);

/** Appends samples, in the table's column order. One that is empty in all of them costs nothing. */
export function appendSamples(connection: Connection, { rows, vectors }: Chunk): Promise<void> {
  const filled = vectors.map((vector) => hasAny(vector, rows));
  const columns = sample_columns.filter((_, i) => filled[i]);
  const chunk = { rows, vectors: vectors.filter((_, i) => filled[i]) };
  return connection.append(sample.name, chunk, columns);
}
