// The migrated database: exactly the declared tables, and no index on anything.
import { deepEqual } from "node:assert/strict";
import { Database } from "../../src/store/database.ts";
import { fakeEffects } from "../help/effects.ts";
import { equalGolden } from "../help/golden.ts";
import { queryRows } from "../help/query.ts";

const { effects } = fakeEffects();

async function readRows(sql: string): Promise<string[]> {
  const database = await Database.open({ path: ":memory:", memory_mb: 256, threads: 1, effects });
  const rows = await database.read((connection) => queryRows<{ line: string }>(connection, sql));
  await database.close();
  return rows.map(({ line }) => line);
}

Deno.test("a new database has the declared tables and columns", async () => {
  const lines = await readRows(
    "SELECT table_name || '.' || column_name || ' ' || data_type AS line " +
      "FROM duckdb_columns() WHERE NOT internal ORDER BY table_name, column_index",
  );
  await equalGolden("schema.txt", lines.join("\n") + "\n");
});

Deno.test("no table has a key, a constraint or an index", async () => {
  const constraints = await readRows(
    "SELECT table_name || ' ' || constraint_text AS line FROM duckdb_constraints() ORDER BY line",
  );
  const indexes = await readRows("SELECT index_name AS line FROM duckdb_indexes() ORDER BY line");
  deepEqual([...constraints, ...indexes], []);
});
