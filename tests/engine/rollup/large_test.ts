// What one pass stores in several transactions, each of whole row groups, is there at once.
import { equal, ok } from "node:assert/strict";
import { verify } from "../../../src/engine/rollup/pass.ts";
import { Rollup } from "../../../src/engine/rollup/rollup.ts";
import { storeMinutes } from "./live_help.ts";
import { openPlant, type TestPlant } from "../../help/plant.ts";
import { queryRows } from "../../help/query.ts";
import { all_minutes, all_readings } from "../../help/whole.ts";

/** Each part of a pass has more whole minutes than a row group of the database. */
const bounds = { rows_per_write: 200_000 };
const tags = 250;
const minutes = 1040;

/** Stores one sample after the other until `rolled`; how many minutes who follows has seen then. */
async function follow({ database }: TestPlant, rolled: Promise<void>): Promise<number> {
  let over = false;
  const done = rolled.finally(() => over = true);
  let seen = 0;
  let mark_us = 0;
  for (let last = false; !last;) {
    last = over;
    await database.write(({ connection, stamp_us }) =>
      connection.script(`INSERT INTO sample (tag_no, ts, received_at) VALUES (0, 0, ${stamp_us})`)
    );
    const to_us = database.followed_us;
    const [{ rows }] = await database.read((connection) =>
      queryRows<{ rows: number }>(
        connection,
        `SELECT count(*)::INTEGER AS rows FROM ${all_minutes} AS minute
         WHERE received_at > ${mark_us} AND received_at <= ${to_us}`,
      )
    );
    seen += rows;
    mark_us = to_us;
  }
  await done;
  return seen;
}

const own = [{ measure: "dc_voltage" }] as const;
/** What several sensors read is stored minute by minute. */
const shared = [...own, { measure: "dc_voltage", device_id: "other" }] as const;

for (const [name, sensors] of Object.entries({ own, shared })) {
  Deno.test(`roll: what a large pass stores is there at once (${name})`, async () => {
    const folder = await Deno.makeTempDir();
    const plant = await openPlant({
      ...{ at: "2026-06-02T14:00:00Z", path: `${folder}/a.duckdb`, threads: 2 },
      tags: Array.from({ length: tags }, (_, i) => ({
        tag_no: i + 1,
        sensors: sensors.map((sensor, n) => ({ ...sensor, sensor_no: i + 1 + n * tags })),
      })),
    });
    await plant.roll.close();
    plant.roll = await Rollup.open({ ...plant, bounds });
    const rowsOf = async (table: string) =>
      (await plant.rows(`SELECT count(*)::INTEGER AS rows FROM ${table}`))[0].rows;
    const held = tags * 15;
    try {
      await storeMinutes(plant, tags, [0, minutes]);
      const rolled = plant.roll.settle();
      const followed = await follow(plant, rolled);
      equal(followed, tags * minutes + held);
      equal(await rowsOf(all_minutes), tags * minutes + held);
      equal(await rowsOf(all_readings), tags * minutes * sensors.length);
      await storeMinutes(plant, tags, [minutes, minutes + 15]);
      await plant.roll.settle();
      equal(await rowsOf(all_minutes), tags * (minutes + 15) + held);
      for await (const { differences } of verify(plant)) {
        ok(Object.values(differences).every((count) => count === 0));
      }
    } finally {
      await plant.close();
      await Deno.remove(folder, { recursive: true });
    }
  });
}
