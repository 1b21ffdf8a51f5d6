// Row groups are small under a load, tried for now and then, and large before days are ordered.
import { deepEqual, equal } from "node:assert/strict";
import { openLog } from "../../../src/engine/core/log.ts";
import { RowGroups } from "../../../src/engine/ingest/row_groups.ts";
import { sample_limits } from "../../../src/model/samples/limits.ts";
import { Database } from "../../../src/store/database.ts";
import { database_limits } from "../../../src/store/limits.ts";
import { fakeEffects } from "../../help/effects.ts";
import { queryRows } from "../../help/query.ts";
import { turns, until } from "../../help/until.ts";

const { group_rows, load_group_rows } = database_limits;

/** Row groups of a database that notes what it is asked for, and answers as it is told. */
function asked({ answer = () => Promise.resolve(true) } = {}) {
  const { effects, clock, printed } = fakeEffects();
  const rows: number[] = [];
  const database = {
    group(wanted: number) {
      rows.push(wanted);
      return answer();
    },
  };
  const log = openLog({ log_level: "info", log_format: "pretty" }, effects);
  return { groups: new RowGroups({ database, effects, log }), rows, clock, printed };
}

Deno.test("only a commit that fills a small row group asks for small ones", async () => {
  const { groups, rows } = asked();
  groups.stored(load_group_rows - 1);
  await groups.rest();
  deepEqual(rows, [group_rows]);
  groups.stored(load_group_rows);
  groups.stored(load_group_rows);
  await groups.rest();
  deepEqual(rows, [group_rows, load_group_rows, group_rows]);
});

Deno.test("small row groups are asked for once in a while", async () => {
  const { groups, rows, clock } = asked({ answer: () => Promise.resolve(false) });
  for (const wait_ms of [0, sample_limits.group_retry_ms - 1, 1, 0]) {
    clock.advance(wait_ms);
    groups.stored(load_group_rows);
    await turns(2);
  }
  deepEqual(rows, [load_group_rows, load_group_rows]);
});

Deno.test("row groups that can't be changed are told, and what comes is stored", async () => {
  const { groups, rows, printed } = asked({ answer: () => Promise.reject(new Error("no disk")) });
  groups.stored(load_group_rows);
  await groups.rest();
  deepEqual(rows, [load_group_rows, group_rows]);
  equal(printed.err.match(/layout of the database file stays as it is.*no disk/g)?.length, 2);
});

Deno.test("a load lies in small row groups, and in large ones after it", async () => {
  const folder = await Deno.makeTempDir();
  const { effects } = fakeEffects();
  const log = openLog({ log_level: "info", log_format: "pretty" }, effects);
  const database = await Database.open({ path: `${folder}/a.duckdb`, effects, threads: 2 });
  const groups = new RowGroups({ database, effects, log });
  const add = async (table: string) => {
    await database.write(({ connection }) =>
      connection.script(`
        INSERT INTO ${table} SELECT md5(range::VARCHAR), 'x' FROM range(${2 * load_group_rows})`)
    );
    const sql = `
      SELECT count(DISTINCT row_group_id)::INTEGER AS groups FROM pragma_storage_info('${table}')`;
    return (await database.read((it) => queryRows(it, sql)))[0].groups;
  };
  for (const table of ["one", "two", "three"]) {
    await database.write(({ connection }) =>
      connection.script(`CREATE TABLE ${table} (name VARCHAR, value VARCHAR)`)
    );
  }
  equal(await add("one"), 1);
  groups.stored(load_group_rows);
  await until(() => database.group(load_group_rows));
  equal(await add("two"), 2);
  await groups.rest();
  equal(await add("three"), 1);
  await database.close();
  await Deno.remove(folder, { recursive: true });
});
