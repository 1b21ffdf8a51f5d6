// How large the database is: rows of its growing tables, bytes of its file and of its memory.
import size_read from "./size_read.sql" with { type: "text" };
import type { Connection } from "./connection.ts";

/** One figure: `rows` of a table, or `bytes` of `file` or `memory`. */
export type Size = { readonly figure: string; readonly of: string; readonly value: number };

/** Reads every figure; costs no scan. */
export function readSizes(connection: Connection): Promise<Size[]> {
  return connection.rows<Size>(size_read);
}
