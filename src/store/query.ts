// Prints what a SELECT of an operator's own answers.
import print_csv from "./sql/query_print_csv.sql" with { type: "text" };
import print_json from "./sql/query_print_json.sql" with { type: "text" };
import type { Connection } from "./connection.ts";

const statements = { csv: print_csv, json: print_json } as const;

/** Writes the rows of `sql`, which can only read, to standard output. */
export async function printQuery(
  connection: Connection,
  { sql, format }: { readonly sql: string; readonly format: keyof typeof statements },
): Promise<void> {
  await connection.run(statements[format], { sql });
}
