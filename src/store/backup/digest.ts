// A digest of every table: it tells whether a database holds the same rows as another.
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import type { Manifest } from "./container.ts";

/** One table's rows and a digest of them all that does not depend on their order. */
type TableDigest = Manifest["tables"][number];

/** The stored tables of the database itself, whatever else is attached. */
const table_names_list = statement({
  sql: `
    SELECT table_name
    FROM duckdb_tables()
    WHERE database_name = current_database() AND NOT temporary
    ORDER BY table_name`,
  row: { table_name: "text" },
});

/** Counts a table's rows and adds up their hashes: of two equal rows both count. */
const digest_read = statement({
  sql: `
    SELECT count(*)::BIGINT AS rows, coalesce(sum(hash(row)), 0)::VARCHAR AS digest
    FROM query_table($table::VARCHAR) AS row`,
  parameters: { table: "text" },
  row: { rows: "int64", digest: "text" },
  is_dynamic: true,
});

const library_find = statement({
  sql: `SELECT library_version AS version, platform
    FROM pragma_version() CROSS JOIN pragma_platform()`,
  row: { version: "text", platform: "text" },
});

/** The version of the library, and what kind of machine it is for. */
export async function libraryOf(
  connection: Connection,
): Promise<{ readonly version: string; readonly platform: string }> {
  const [library] = await connection.rows(library_find);
  return library;
}

/** The version of the library, on which the hashes depend. */
export async function duckdbVersion(connection: Connection): Promise<string> {
  return (await libraryOf(connection)).version;
}

/** Digests every table; the connection's transaction makes it one state. */
export async function digestTables(
  connection: Connection,
  { onTable = () => {} }: { readonly onTable?: (share: number) => void } = {},
): Promise<TableDigest[]> {
  await connection.standAlone();
  const names = await connection.rows(table_names_list);
  const digests: TableDigest[] = [];
  for (const { table_name } of names) {
    const [read] = await connection.rows(digest_read, { table: table_name });
    digests.push({ table_name, ...read });
    onTable(digests.length / names.length);
  }
  return digests;
}

/**
 * The first table that holds something else than a backup's manifest says; undefined if none does.
 * What another version of the library hashed is compared by the number of its rows.
 */
export async function firstDifference(
  connection: Connection,
  { tables, duckdb }: Pick<Manifest, "tables" | "duckdb">,
  options: Parameters<typeof digestTables>[1] = {},
): Promise<string | undefined> {
  const found = await digestTables(connection, options);
  const by_digest = await duckdbVersion(connection) === duckdb;
  const lineOf = ({ table_name, rows, digest }: TableDigest) =>
    [table_name, rows, ...(by_digest ? [digest] : [])].join();
  const known = new Set(found.map(lineOf));
  const missing = tables.find((table) => !known.has(lineOf(table)));
  const names = new Set(tables.map(({ table_name }) => table_name));
  return (missing ?? found.find(({ table_name }) => !names.has(table_name)))?.table_name;
}
