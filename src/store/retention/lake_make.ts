// What makes a lake, and what puts it in order.
import type { Connection } from "../connection.ts";
import { filled, statement } from "../statement.ts";

/** Attaches it; `{also}` is empty, or says that nothing is to be changed there. */
export const lake_attach = `
  ATTACH {catalog} AS lake (
    DATA_PATH {data}, METADATA_SCHEMA {schema}, DATA_INLINING_ROW_LIMIT 0{also}
  )`;

/** Lets go of it. */
export const lake_detach = "DETACH DATABASE IF EXISTS lake";

const lake_make = [
  `CREATE TABLE lake.main.sample (
    tag_no INTEGER, ts BIGINT, received_at BIGINT, value DOUBLE, value_int BIGINT,
    value_str VARCHAR, quality UTINYINT, status_code UINTEGER, month VARCHAR, copy VARCHAR
  )`,
  "ALTER TABLE lake.main.sample SET PARTITIONED BY (month)",
  "CALL lake.set_option('parquet_compression', 'zstd')",
  `CREATE TABLE lake.main.published (
    copy VARCHAR, day INTEGER, rows BIGINT, last_received_at BIGINT
  )`,
  "CREATE TABLE lake.main.owner AS SELECT 0::BIGINT AS epoch, 0::BIGINT AS turn",
];

/** What older versions did not make. */
const marks_make = "CREATE TABLE lake.main.sealed (day INTEGER, copy VARCHAR, epoch BIGINT)";

/** Which tables of this service are there. */
const lake_tables = statement({
  sql: `SELECT coalesce(bool_or(table_name = 'owner'), false) AS is_made,
      coalesce(bool_or(table_name = 'sealed'), false) AS has_marks
    FROM duckdb_tables() WHERE database_name = 'lake'`,
  row: { is_made: "bool", has_marks: "bool" },
  is_dynamic: true,
});

/** Makes those of its tables that are not there, in one transaction. */
export async function makeTables(connection: Connection): Promise<void> {
  const [{ is_made, has_marks }] = await connection.rows(lake_tables);
  const making = [...is_made ? [] : lake_make, ...has_marks ? [] : [marks_make]];
  if (making.length === 0) return;
  await connection.transaction(async () => {
    for (const sql of making) await connection.script(sql);
  });
}

/** Puts small files together, and removes what nobody has needed for some hours. */
export const tending = [
  "CALL ducklake_merge_adjacent_files('lake')",
  ...["expire_snapshots", "cleanup_old_files", "delete_orphaned_files"].map((work) =>
    filled("CALL ducklake_{work}('lake', older_than => now() - INTERVAL {hours} HOUR)", { work })
  ),
];
