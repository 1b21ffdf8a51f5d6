// What a lake says of itself to who reads it without the database.
import { deepEqual } from "node:assert/strict";
import type { Database } from "../../../src/store/database.ts";
import { listTiers } from "../../../src/store/retention/tier.ts";
import { lakeTest } from "../../help/lake.ts";
import {
  clock,
  fill,
  old_day,
  open,
  per_day,
  recall,
  tiersOf,
  told,
  whole_day,
} from "./lake_help.ts";

/** What the lake tells of as the next copy is put into it. */
function toldAsPut(database: Database): { days?: unknown } {
  const { place } = database.far;
  const put = place.put.bind(place);
  const seen: { days?: unknown } = {};
  place.put = async (...given) => {
    seen.days = await told(database);
    return await put(...given);
  };
  return seen;
}

lakeTest("the lake alone tells of a day until it may change", async (extensions) => {
  const folder = await Deno.makeTempDir();
  const { database } = await open({ folder, extensions });
  await fill(database);
  const tiers = await tiersOf(database);
  await tiers.settle();
  deepEqual(await told(database), [whole_day]);
  const session = database.session();
  // As an older version made it.
  for (const sql of ["DROP TABLE lake.main.sealed", "DETACH lake"]) await session.script(sql);
  session.close();
  await database.abandon();

  const next = await open({ folder, extensions });
  deepEqual(await told(next.database), []);
  const again = await tiersOf(next.database);
  await again.settle();
  deepEqual(await told(next.database), [whole_day]);
  // Before the database says that the day is here, the lake tells of it no more.
  const { far } = next.database;
  const withdraw = far.withdraw.bind(far);
  let seen: unknown;
  far.withdraw = (file, change) =>
    withdraw(file, async () => {
      seen = await told(next.database);
      return await change();
    });
  await recall(next.database);
  deepEqual([seen, await told(next.database)], [[], []]);
  far.withdraw = withdraw;
  await again.settle();
  deepEqual(await told(next.database), [whole_day]);
  // A process after it takes it away, too, though it has put none.
  await next.database.abandon();
  const last = await open({ folder, extensions });
  await recall(last.database);
  deepEqual(await told(last.database), []);
  await last.database.abandon();
  await Deno.remove(folder, { recursive: true });
});

lakeTest("after a backup was restored, the lake tells of no later day", async (extensions) => {
  const folder = await Deno.makeTempDir();
  const { database } = await open({ folder, extensions });
  await fill(database);
  await database.checkpoint();
  await Deno.copyFile(`${folder}/a.duckdb`, `${folder}/b.duckdb`);
  await (await tiersOf(database)).settle();
  deepEqual(await told(database), [whole_day]);
  await database.abandon();

  clock.advance(1_000);
  const restored = (await open({ folder, extensions, name: "b.duckdb" })).database;
  const seen = toldAsPut(restored);
  await (await tiersOf(restored)).settle();
  deepEqual([seen.days, await told(restored)], [[], [whole_day]]);
  await restored.abandon();
  await Deno.remove(folder, { recursive: true });
});

lakeTest("what a killed process left in the lake keeps none from opening", async (extensions) => {
  const folder = await Deno.makeTempDir();
  const { database } = await open({ folder, extensions });
  await fill(database);
  await (await tiersOf(database)).settle();
  // Killed before it removed the copy.
  await recall(database);
  await database.abandon();
  let is_owner = false;
  const next = (await open({ folder, extensions, owns: () => is_owner })).database;
  const tiers = await tiersOf(next);
  is_owner = true;
  await tiers.settle();
  deepEqual(await told(next), [whole_day]);
  deepEqual((await next.aside(listTiers)).map(({ state }) => state), ["moved"]);
  await next.abandon();
  await Deno.remove(folder, { recursive: true });
});

lakeTest("a day in several parts is not named", async (extensions) => {
  const folder = await Deno.makeTempDir();
  const { database } = await open({ folder, extensions });
  await fill(database);
  const tiers = await tiersOf(database);
  await tiers.settle();
  deepEqual(await told(database), [whole_day]);
  // As an older version could store it beside the copy.
  await database.write(({ connection, stamp_us }) =>
    connection.script(`INSERT INTO sample
      VALUES (2, ${old_day} * 86400000000, ${stamp_us}, 1, NULL, NULL, 0, NULL)`)
  );
  const seen = toldAsPut(database);
  await tiers.settle();
  const states = (await database.aside(listTiers)).map(({ state }) => state);
  deepEqual([seen.days, states, await told(database)], [[], ["moved", "moved"], []]);
  await recall(database);
  await tiers.settle();
  deepEqual(await told(database), [{ ...whole_day, rows: per_day + 1 }]);
  await database.abandon();
  await Deno.remove(folder, { recursive: true });
});
