// How large the database is, how much of its file it uses, and how that grew day by day.
import size_read_sql from "./size_read.sql" with { type: "text" };
import type { Connection } from "../connection.ts";
import type { Write } from "../database.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";

/** One figure: `rows` of a table, or `bytes` of `file` or `memory`. */
export type Size = { readonly figure: string; readonly of: string; readonly value: number };

const size_read = statement({
  sql: size_read_sql,
  row: { figure: "text", of: "text", value: "float64" },
});

/** Reads every figure; costs no scan. */
export async function readSizes(connection: Connection): Promise<Size[]> {
  await connection.standAlone();
  return await connection.rows(size_read);
}

const use_table = table("disk_use", { day: "int32", used_bytes: "int64" });

const file_read = statement({
  sql: `
    SELECT (block_size * used_blocks)::BIGINT AS used_bytes,
      (block_size * free_blocks)::BIGINT AS free_bytes
    FROM pragma_database_size()
    WHERE database_name = current_database()`,
  row: { used_bytes: "int64", free_bytes: "int64" },
});

/** What the database uses of its file, and what is free inside it for more. */
export async function readFileUse(
  connection: Connection,
): Promise<{ readonly used_bytes: number; readonly free_bytes: number }> {
  await connection.standAlone();
  const [use] = await connection.rows(file_read);
  return use;
}

/** What was used, a day (UTC, since 1970) a row. */
const use_list = statement({
  sql: "SELECT day, used_bytes FROM disk_use WHERE day >= $from_day ORDER BY day",
  parameters: { from_day: "int32" },
  row: use_table.columns,
});

/** What was used on each day from `from_day` on, as far as it was noted. */
export function listDiskUse(
  connection: Connection,
  from_day: number,
): Promise<{ readonly day: number; readonly used_bytes: number }[]> {
  return connection.rows(use_list, { from_day });
}

const old_uses_delete = statement({
  sql: "DELETE FROM disk_use WHERE day < $from_day OR day >= $day",
  parameters: { from_day: "int32", day: "int32" },
});

/**
 * Notes what is used today, with `beside_bytes` that lie beside the database on its disk, and
 * forgets what was before `from_day`.
 */
export async function noteDiskUse(
  { connection }: Write,
  { day, from_day, beside_bytes }: {
    readonly day: number;
    readonly from_day: number;
    readonly beside_bytes: number;
  },
): Promise<void> {
  const { used_bytes } = await readFileUse(connection);
  await connection.run(old_uses_delete, { day, from_day });
  await appendRows(connection, use_table, [{ day, used_bytes: used_bytes + beside_bytes }]);
}
