// The migrated database has no index on anything; statement_test.ts compares its tables.
import { deepEqual } from "node:assert/strict";
import { Database } from "../../src/store/database.ts";
import { fakeEffects } from "../help/effects.ts";
import { queryRows } from "../help/query.ts";

const { effects } = fakeEffects();

async function readRows(sql: string): Promise<string[]> {
  const database = await Database.open({ path: ":memory:", memory_mb: 256, threads: 1, effects });
  const rows = await database.read((connection) => queryRows<{ line: string }>(connection, sql));
  await database.close();
  return rows.map(({ line }) => line);
}

Deno.test("no table has a key, a constraint or an index", async () => {
  const constraints = await readRows(
    "SELECT table_name || ' ' || constraint_text AS line FROM duckdb_constraints() ORDER BY line",
  );
  const indexes = await readRows("SELECT index_name AS line FROM duckdb_indexes() ORDER BY line");
  deepEqual([...constraints, ...indexes], []);
});
