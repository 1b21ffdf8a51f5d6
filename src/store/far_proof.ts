// Proves that the copy of a day somewhere else holds what the database holds.
import type { Connection } from "./connection.ts";
import proof_read_sql from "./proof_read.sql" with { type: "text" };
import { filled, statement } from "./statement.ts";

const proof_read = statement({
  sql: proof_read_sql,
  parameters: { day: "int64" },
  row: { rows: "int64", is_same: "bool", last_received_at: "instant" },
  reach: "near",
  is_dynamic: true,
});

/** How many rows a copy has, and when the last was stored here; undefined where it differs. */
export async function proveCopy(
  connection: Connection,
  { day, table }: { readonly day: number; readonly table: string },
): Promise<{ readonly rows: number; readonly last_received_at: number } | undefined> {
  await connection.script(filled(moved_make, { table }));
  const [{ is_same, ...proof }] = await connection.rows(proof_read, { day });
  await connection.script(moved_end);
  return is_same ? proof : undefined;
}

const moved_make = "CREATE TEMP VIEW moved AS FROM {table}";

const moved_end = "DROP VIEW temp.main.moved";
