// What makes a lake, and what puts it in order.
import { filled } from "../statement.ts";

/** Attaches it. */
export const lake_attach = `
  ATTACH {catalog} AS lake (
    DATA_PATH {data}, METADATA_SCHEMA {schema}, DATA_INLINING_ROW_LIMIT 0
  )`;

/** Makes its tables, in one transaction. */
export const lake_make = [
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

/** Puts small files together, and removes what nobody has needed for some hours. */
export const tending = [
  "CALL ducklake_merge_adjacent_files('lake')",
  ...["expire_snapshots", "cleanup_old_files", "delete_orphaned_files"].map((work) =>
    filled("CALL ducklake_{work}('lake', older_than => now() - INTERVAL {hours} HOUR)", { work })
  ),
];
