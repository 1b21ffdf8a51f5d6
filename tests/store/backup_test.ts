// A backup holds every row, and is proved to.
import { equal } from "node:assert/strict";
import { backUp } from "../../src/store/backup.ts";
import { Database } from "../../src/store/database.ts";
import { fakeEffects } from "../help/effects.ts";
import { queryRows } from "../help/query.ts";

Deno.test("a backup holds every row of every table and opens as a database", async () => {
  const folder = await Deno.makeTempDir();
  const { effects } = fakeEffects();
  const options = { effects, memory_mb: 256 };
  const database = await Database.open({ ...options, path: `${folder}/it's here.duckdb` });
  await database.write(async ({ connection }) => {
    await connection.script("INSERT INTO stale SELECT range, -range FROM range(5000)");
    await connection.script("INSERT INTO block VALUES ('b', 1, 'key', NULL)");
  });
  const tables = await backUp(database, `${folder}/a "copy".duckdb`);
  equal(tables.find((table) => table.table_name === "stale")?.rows, 5000);
  await database.close();

  const copy = await Database.open({ ...options, path: `${folder}/a "copy".duckdb` });
  const [{ sum }] = await copy.read((connection) =>
    queryRows(connection, "SELECT sum(day)::BIGINT AS sum FROM stale")
  );
  equal(sum, -12_497_500);
  await copy.close();
});
