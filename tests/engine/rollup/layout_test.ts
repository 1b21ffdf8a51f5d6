// Where what is rolled up lies: a tag's quarter-hours together, in the order that reads need.
import { deepEqual, equal, ok } from "node:assert/strict";
import { storeMinutes } from "./live_help.ts";
import { openPlant, type TestPlant } from "../../help/plant.ts";

const tags = 250;

/** The rows of a table, and of each of its writes in how many runs they are in order. */
async function runsOf(plant: TestPlant, table: string, no: string) {
  const [{ backwards }] = await plant.rows(
    "SELECT max(received_at) // 60000000 & 1 = 1 AS backwards FROM minute",
  );
  const [found] = await plant.rows(`
    SELECT count(*)::INTEGER AS rows,
      1 + count(*) FILTER (place < before)::INTEGER AS runs
    FROM (
      SELECT place, lag(place) OVER (ORDER BY at_row) AS before
      FROM (
        SELECT rowid AS at_row, row(
            day, if(${backwards}, -${no}, ${no}),
            if(${no} & 1 = 0, minute // 15, -(minute // 15)), minute
          ) AS place
        FROM ${table}
      )
    )`);
  return found;
}

Deno.test("roll: what a pass stores lies in order, begun quarter-hours first", async () => {
  const folder = await Deno.makeTempDir();
  const plant = await openPlant({
    ...{ at: "2026-06-01T23:00:00Z", path: `${folder}/a.duckdb`, threads: 2 },
    tags: Array.from({ length: tags }, (_, i) => ({
      tag_no: i + 1,
      sensors: [{ measure: "dc_voltage", sensor_no: i + 1 }],
    })),
  });
  const held = 15;
  const parts = { minute: "tag_no", reading: "sensor_no" };
  try {
    await storeMinutes(plant, tags, [0, 607]);
    await plant.roll.settle();
    deepEqual(await runsOf(plant, "minute", "tag_no"), { rows: tags * (607 + held), runs: 1 });
    deepEqual(await runsOf(plant, "reading", "sensor_no"), { rows: tags * 607, runs: 1 });

    await storeMinutes(plant, tags, [607, 1100]);
    await plant.roll.settle();
    for (const [table, no] of Object.entries(parts)) {
      const { rows, runs } = await runsOf(plant, table, no);
      equal(rows, tags * (1100 + (table === "minute" ? held : 0)), table);
      ok(Number(runs) <= 3, `${runs} runs of ${table}: two writes, the second one in two parts`);
    }
  } finally {
    await plant.close();
    await Deno.remove(folder, { recursive: true });
  }
});
