// What retention drops and what it leaves: silent tags, a clock that is ahead, a disk that fills.
import { deepEqual, equal } from "node:assert/strict";
import { silent_log } from "../../../src/engine/core/log.ts";
import { Retention } from "../../../src/engine/retention/retention.ts";
import { openPlant } from "../../help/plant.ts";

const day_us = 86_400_000_000;
const first_day = 20_000;
const last_day = first_day + 99;

/** Three tags with a sample a day; `rules` are entries, `free` is what of 100 the disk has left. */
async function openWorld(
  { settings = {}, rules = [], free = () => 100, silent_from = Infinity }: {
    readonly settings?: object;
    readonly rules?: readonly string[];
    readonly free?: () => number;
    /** From when on the third tag has no samples. */
    readonly silent_from?: number;
  },
) {
  const tags = [1, 2, 3].map((tag_no) => ({ tag_no, sensor_tag: `${"abc"[tag_no - 1]}.x` }));
  const at = new Date((last_day + 0.9) * day_us / 1000).toISOString();
  const plant = await openPlant({ tags, at });
  const days = Array.from({ length: 100 }, (_, i) => first_day + i);
  await plant.store(
    days.flatMap((day) =>
      tags.filter(({ tag_no }) => tag_no < 3 || day < silent_from)
        .map(({ tag_no }) => ({ tag: tag_no, at: day * day_us, value: day }))
    ),
  );
  await plant.database.write(({ connection }) =>
    connection.script(
      `INSERT INTO keep_rule VALUES ${
        ["('', 0, 0, '', NULL, NULL, NULL, NULL, NULL)", ...rules].join()
      }; DELETE FROM keep_rule WHERE id = ''`,
    )
  );
  await plant.catalog.reload();
  const forever = { keep_samples: "forever", keep_forecasts: "forever", keep_minutes: "forever" };
  const retention = new Retention({
    ...plant,
    settings: {
      ...forever,
      keep_quarters: "forever",
      keep_free_percent: 0,
      tier_dir: "none",
      ...settings,
    },
    log: silent_log,
    space: () => Promise.resolve({ total_bytes: 100, free_bytes: free() }),
  });
  const left = () =>
    plant.rows(
      `SELECT tag_no, (min(ts) // ${day_us})::INTEGER - ${first_day} AS first,
        count(*)::INTEGER AS n FROM sample GROUP BY tag_no ORDER BY tag_no`,
    );
  return { ...plant, retention, left };
}

Deno.test("the first entry that matches a tag says how long its samples are kept", async () => {
  const world = await openWorld({
    settings: { keep_samples: "60d" },
    rules: [
      "('1', 1, 0, 'a.*', NULL, '40d', NULL, NULL, NULL)",
      "('2', 1, 1, '*.x', NULL, NULL, '40d', NULL, NULL)",
      "('3', 1, 2, 'b*', 'signal', 'forever', NULL, NULL, NULL)",
    ],
  });
  await world.retention.settle();
  deepEqual(await world.left(), [
    { tag_no: 1, first: 49, n: 51 },
    { tag_no: 2, first: 0, n: 100 },
    { tag_no: 3, first: 29, n: 71 },
  ]);
  await world.close();
});

Deno.test("a tag that fell silent keeps its last days, and no clock drops anything", async () => {
  const world = await openWorld({
    settings: { keep_samples: "40d" },
    silent_from: first_day + 20,
  });
  world.clock.step(400 * 86_400_000);
  await world.retention.settle();
  deepEqual(await world.left(), [
    { tag_no: 1, first: 49, n: 51 },
    { tag_no: 2, first: 49, n: 51 },
    { tag_no: 3, first: 12, n: 8 },
  ]);
  deepEqual(world.catalog.horizon(3)?.samples, first_day + 12);
  await world.close();
});

Deno.test("retention that is stopped between two days goes on there", async () => {
  const world = await openWorld({ settings: { keep_samples: "40d" } });
  const stop = new AbortController();
  let days = 0;
  const held = world.roll.holdSettled.bind(world.roll);
  world.roll.holdSettled = () => {
    if (++days === 3) stop.abort();
    return held();
  };
  await world.retention.settle(stop.signal);
  const gone = "SELECT DISTINCT samples - 20000 AS gone FROM horizon";
  deepEqual(await world.rows(gone), [{ gone: 3 }]);
  equal((await world.left())[0].first, 3);
  await world.catalog.reload();
  await world.retention.settle();
  deepEqual(await world.rows(gone), [{ gone: 49 }]);
  equal((await world.left())[0].first, 49);
  await world.close();
});

Deno.test("a disk that fills takes the oldest days sooner, down to the least time", async () => {
  let free = 5;
  const world = await openWorld({
    settings: { keep_samples: "60d", keep_free_percent: 10 },
    rules: ["('1', 1, 0, 'a.*', NULL, 'forever', NULL, NULL, NULL)"],
    free: () => free++ < 8 ? 5 : 100,
  });
  await world.retention.settle();
  deepEqual((await world.left()).map(({ first }) => first), [0, 32, 32]);
  free = -Infinity;
  await world.retention.settle();
  deepEqual((await world.left()).map(({ first }) => first), [0, 54, 54]);
  await world.close();
});
