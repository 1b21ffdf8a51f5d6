// How large the database is: rows of its growing tables, bytes of its file and of its memory.
import size_read_sql from "./size_read.sql" with { type: "text" };
import type { Connection } from "./connection.ts";
import { statement } from "./statement.ts";

/** One figure: `rows` of a table, or `bytes` of `file` or `memory`. */
export type Size = { readonly figure: string; readonly of: string; readonly value: number };

const size_read = statement({
  sql: size_read_sql,
  row: { figure: "text", of: "text", value: "float64" },
});

/** Reads every figure; costs no scan. */
export function readSizes(connection: Connection): Promise<Size[]> {
  return connection.rows(size_read);
}
