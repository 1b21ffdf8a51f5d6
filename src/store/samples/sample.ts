// Stores samples: finds what is stored already, replaces what differs, appends the rest.
import sample_replace from "./sample_replace.sql" with { type: "text" };
import suspect_make from "./suspect_make.sql" with { type: "text" };
import suspect_settle from "./suspect_settle.sql" with { type: "text" };
import type { Chunk } from "../../model/data/chunk.ts";
import type { Connection } from "../connection.ts";

/** The newest `ts` of any sample, in microseconds since 1970; undefined when there is none. */
export async function newestSample(connection: Connection): Promise<number | undefined> {
  const [{ newest }] = await connection.rows<{ newest: number | null }>(
    "SELECT max(ts) AS newest FROM sample",
  );
  return newest ?? undefined;
}

/** A range of `ts`, both ends within. */
export type TsRange = { readonly from_us: number; readonly to_us: number };

/**
 * Settles rows (number, tag, ts, values) that may be stored already, all with `from_us` ≤ ts ≤
 * `to_us`. Gives the numbers of those that are stored exactly so, rising; of the others, what is
 * stored under their (tag, ts) is deleted, for them to be appended.
 */
export async function settleSuspects(
  connection: Connection,
  suspects: Chunk,
  range: TsRange,
): Promise<Int32Array> {
  await connection.run(suspect_make);
  await connection.append("suspect", suspects);
  const same = await connection.rows<{ row_no: number }>(suspect_settle, range);
  await connection.run(sample_replace, range);
  await connection.run("DELETE FROM suspect");
  return Int32Array.from(same, (row) => row.row_no).sort();
}

/** Appends samples, in the table's column order. */
export function appendSamples(connection: Connection, samples: Chunk): Promise<void> {
  return connection.append("sample", samples);
}
