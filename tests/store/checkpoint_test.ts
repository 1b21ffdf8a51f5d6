// A checkpoint closes the gaps of removed rows: all of them, or few, for writers wait meanwhile.
import { deepEqual, ok } from "node:assert/strict";
import { Database } from "../../src/store/database.ts";
import { fakeEffects } from "../help/effects.ts";
import { queryRows } from "../help/query.ts";

const group_rows = 122_880;
const groups = 20;

Deno.test("a checkpoint closes few gaps or all, and no row is another one then", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/a.duckdb`;
  const database = await Database.open({ path, effects: fakeEffects().effects, threads: 1 });
  const run = (sql: string) => database.write(({ connection }) => connection.script(sql));
  const sum = async () => {
    const sql = `SELECT count(DISTINCT rowid // ${group_rows})::INTEGER AS groups,
      count(*)::INTEGER AS rows, sum(hash(kept))::VARCHAR AS digest FROM t AS kept`;
    type Sum = { readonly groups: number; readonly rows: number; readonly digest: string };
    return (await database.read((it) => queryRows<Sum>(it, sql)))[0];
  };
  await run(`CREATE TABLE t AS SELECT range AS n FROM range(${groups * group_rows})`);
  await database.checkpoint();
  await run("DELETE FROM t WHERE n % 4 <> 0");
  const { groups: _, ...rows } = await sum();
  const left: number[] = [];
  for (const gaps of ["few", "all"] as const) {
    // Of a log without anything nothing is made.
    await run("INSERT INTO meta VALUES ('a', 'b')");
    ok(await database.checkpoint(gaps));
    const { groups, ...after } = await sum();
    deepEqual(after, rows);
    left.push(groups);
  }
  const [few, all] = left;
  ok(few > groups / 2 && all < few, `${few}, then ${all} of ${groups} row groups`);
  await database.close();
  await Deno.remove(folder, { recursive: true });
});
