// Expected power from the weather: which sensors are believed, and what follows from them.
import { deepEqual, ok } from "node:assert/strict";
import {
  acOf,
  columnOf,
  expectedOf,
  faiman,
  inverter,
  power,
  same,
  weather,
} from "./model_help.ts";
import { assertVerified, at, each, roll, withPlant } from "../rollup/setpoint_help.ts";

const one = { devices: [inverter("d1")] };
const poa = weather(10, "poa_front");
const poa_b = weather(11, "poa_front");
const poa_c = weather(12, "poa_front");
const ambient = weather(20, "ambient_temp");
const wind = weather(21, "windspeed");

/** A sky that changes every minute. */
const sky = (minute: number) => 700 + minute;

Deno.test("model: measured irradiance, air and wind make power, which is clipped", async () => {
  await withPlant({ ...one, tags: [power(1), poa, ambient, wind] }, async (plant) => {
    const bright = (minute: number) => 1000 + 5 * minute;
    await roll(plant, [
      ...each(10, [0, 30], bright),
      ...each(20, [0, 30], 20),
      ...each(21, [0, 30], 3),
    ]);
    const wanted = Array.from({ length: 30 }, (_, i) => acOf(bright(i), faiman(bright(i), 20, 3)));
    same(await expectedOf(plant, 1, [0, 30]), wanted.map(({ model }) => model));
    const clipped = await columnOf(plant, { sensor_no: 1, column: "clipped" }, [0, 30]);
    same(clipped, wanted.map((it) => it.clipped));
    deepEqual([clipped[0], clipped[29]! > 0], [0, true]);
    await assertVerified(plant);
  });
});

Deno.test("model: without wind cells are 25 K over the air at 800 W/m2", async () => {
  await withPlant({ ...one, tags: [power(1), poa, ambient] }, async (plant) => {
    await roll(plant, [at(10, 0, 800), at(20, 0, 15)]);
    same(await expectedOf(plant, 1, [0, 1]), [acOf(800, 40).model]);
  });
});

Deno.test("model: cells are as warm as modules were measured", async () => {
  const module_temp = weather(22, "module_temp_back");
  await withPlant({ ...one, tags: [power(1), poa, ambient, wind, module_temp] }, async (plant) => {
    await roll(plant, [at(10, 0, 800), at(20, 0, 15), at(21, 0, 2), at(22, 0, 51)]);
    same(await expectedOf(plant, 1, [0, 1]), [acOf(800, 51).model]);
  });
});

Deno.test("model: weather that is missing by day makes no model, never a wrong one", async () => {
  await withPlant({ ...one, tags: [power(1), poa, ambient, wind] }, async (plant) => {
    await roll(plant, [
      ...each(1, [0, 40], 500),
      ...[0, 2].map((minute) => at(10, minute, sky(minute))),
      ...each(20, [30, 40], 15),
    ]);
    same(await expectedOf(plant, 1, [0, 40]), Array(40).fill(null));
    await roll(plant, [at(20, 1, 15)]);
    const of = (value: number) => acOf(value, value / 800 * 25 + 15).model;
    // Air is carried for a quarter-hour; light is on a line to the next sample, then unknown.
    const found = await expectedOf(plant, 1, [0, 40]);
    same(found, Array.from({ length: 40 }, (_, i) => i === 1 || i === 2 ? of(700 + i) : null));
    await assertVerified(plant);
  });
});

Deno.test("model: of three sensors the median counts", async () => {
  await withPlant({ ...one, tags: [power(1), poa, poa_b, poa_c, ambient] }, async (plant) => {
    await roll(plant, [at(10, 0, 700), at(11, 0, 720), at(12, 0, 990), at(20, 0, 10)]);
    same(await expectedOf(plant, 1, [0, 1]), [acOf(720, 10 + 22.5).model]);
  });
});

Deno.test("model: what no sensor can see is not believed", async () => {
  await withPlant({ ...one, tags: [power(1), poa, ambient] }, async (plant) => {
    await roll(plant, [
      ...[1501, -21, 5, 1500, 640].map((value, minute) => at(10, minute, value)),
      ...[10, 10, 10, -50, 121].map((value, minute) => at(20, minute, value)),
    ]);
    const cold = acOf(1500, -50 + 1500 / 32).model;
    same(await expectedOf(plant, 1, [0, 5]), [null, null, null, cold, null]);
  });
});

Deno.test("model: a flat line gives way to its neighbour, alone it makes no model", async () => {
  await withPlant({ ...one, tags: [power(1), poa, poa_b, ambient] }, async (plant) => {
    await roll(plant, [...each(10, [0, 60], 600), ...each(20, [0, 60], 10)]);
    same(await expectedOf(plant, 1, [0, 60]), Array(60).fill(null));
    await roll(plant, each(11, [0, 60], sky));
    const both = await expectedOf(plant, 1, [0, 60]);
    same(both, Array.from({ length: 60 }, (_, i) => acOf(sky(i), 10 + sky(i) / 32).model));
    await assertVerified(plant);
  });
});

Deno.test("model: a flat line of quarter-hours is one between its samples too", async () => {
  await withPlant({ ...one, tags: [power(1), poa, ambient] }, async (plant) => {
    await roll(
      plant,
      [0, 15, 30, 45].flatMap((minute) => [at(10, minute, 600), at(20, minute, 10)]),
    );
    same(await expectedOf(plant, 1, [0, 60]), Array(60).fill(null));
    await assertVerified(plant);
  });
});

Deno.test("model: a shaded sensor gives way to the others", async () => {
  await withPlant({ ...one, tags: [power(1), poa, poa_b, poa_c, ambient] }, async (plant) => {
    await roll(plant, [
      ...each(10, [0, 60], (minute) => sky(minute) / (minute < 20 ? 1 : 10)),
      ...each(11, [0, 60], sky),
      ...each(20, [0, 60], 10),
    ]);
    const found = await expectedOf(plant, 1, [0, 60]);
    const unshaded = (i: number) => acOf(sky(i), 10 + sky(i) / 32).model;
    same(found.slice(40), Array.from({ length: 20 }, (_, i) => unshaded(i + 40)));
    same([found[0]], [unshaded(0)]);
    await roll(plant, each(12, [0, 60], (minute) => 2 * sky(minute) / 3));
    const mean = (i: number) => sky(i) * 5 / 6;
    same(await expectedOf(plant, 1, [50, 51]), [acOf(mean(50), 10 + mean(50) / 32).model]);
    await assertVerified(plant);
  });
});

Deno.test("model: the middle one of three sensors is held against the two beside it", async () => {
  await withPlant({ ...one, tags: [power(1), poa, poa_b, poa_c, ambient] }, async (plant) => {
    for (const [minute, middle, mean] of [[0, 300, 650], [40, 240, 1000]]) {
      await roll(plant, [
        ...[20, middle, 1000].map((value, i) => at(10 + i, minute, value)),
        at(20, minute, 10),
      ]);
      const expected = acOf(mean, 10 + mean / 32).model;
      same(await expectedOf(plant, 1, [minute, minute + 1]), [expected]);
    }
  });
});

Deno.test("model: under a dim sky no sensor is taken for shaded", async () => {
  await withPlant({ ...one, tags: [power(1), poa, poa_b, ambient] }, async (plant) => {
    await roll(plant, [at(10, 0, 30), at(11, 0, 90), at(20, 0, 10)]);
    same(await expectedOf(plant, 1, [0, 1]), [acOf(60, 10 + 60 / 32).model]);
  });
});

Deno.test("model: the block's own sensors come before the site's others", async () => {
  const devices = [
    inverter("a", { block_id: "A" }),
    inverter("b", { block_id: "B" }),
    inverter("c"),
  ];
  const tags = [
    ...["a", "b", "c"].map((device_id, i) => power(i + 1, { device_id })),
    weather(10, "poa_front", { block_id: "A" }),
    weather(11, "poa_front", { block_id: "B" }),
    ambient,
  ];
  await withPlant({ devices, tags }, async (plant) => {
    await roll(plant, [
      at(10, 0, 600),
      at(11, 0, 700),
      at(10, 20, 600),
      at(20, 0, 10),
      at(20, 20, 10),
    ]);
    const of = (value: number) => acOf(value, 10 + value / 32).model;
    const found = await Promise.all([1, 2, 3].map((no) => expectedOf(plant, no, [0, 21])));
    same(found.map((minutes) => minutes[0]), [of(600), of(700), of(650)]);
    same(found.map((minutes) => minutes[20]), [of(600), of(600), of(600)]);
    await assertVerified(plant);
  });
});

Deno.test("model: a sensor stuck at night makes no sun", async () => {
  await withPlant({ ...one, tags: [power(1), poa, ambient] }, async (plant) => {
    const night: readonly [number, number] = [-660, -600];
    await roll(plant, [...each(1, night, -2), ...each(10, night, sky), ...each(20, night, 10)]);
    same(await expectedOf(plant, 1, night), Array(60).fill(0));
    await assertVerified(plant);
  });
});

Deno.test("model: of every dark minute before sunrise nothing is expected", async () => {
  await withPlant({ ...one, tags: [power(1), poa, ambient] }, async (plant) => {
    const dawn: readonly [number, number] = [-420, -360];
    await roll(plant, [...each(1, dawn, 3), ...each(10, dawn, 4), ...each(20, dawn, 10)]);
    const dark = await plant.rows("SELECT model FROM reading WHERE sensor_no = 1 AND NOT light");
    ok(dark.length > 15 && dark.length % 15 > 0);
    deepEqual(dark.map(({ model }) => model), Array(dark.length).fill(0));
    await assertVerified(plant);
  });
});

Deno.test("model: every dark minute weighs, also of a sensor that sends seldom", async () => {
  const often = power(2, { device_id: "d2" });
  const devices = [inverter("d1"), inverter("d2")];
  await withPlant({ devices, tags: [power(1), often, poa, ambient] }, async (plant) => {
    const dawn: readonly [number, number] = [-420, -360];
    await roll(plant, [
      ...each(1, dawn, 3).filter((_, i) => i % 5 === 0),
      ...[2, 10, 20].flatMap((tag) => each(tag, dawn, 4)),
    ]);
    const [seldom, other] = await Promise.all([1, 2].map((sensor_no) =>
      plant.rows(
        "SELECT light, sum(model_n)::DOUBLE AS model_n, sum(model) AS model FROM quarter " +
          `WHERE sensor_no = ${sensor_no} GROUP BY light ORDER BY light`,
      )
    ));
    deepEqual(seldom, other);
    await assertVerified(plant);
  });
});

Deno.test("model: a scaled sensor is believed in the measure's unit", async () => {
  const scaled = weather(10, "poa_front", { scale: 100, offset: 50 });
  await withPlant({ ...one, tags: [power(1), scaled, weather(20, "temp")] }, async (plant) => {
    await roll(plant, [at(10, 0, 6), at(20, 0, 10)]);
    same(await expectedOf(plant, 1, [0, 1]), [acOf(650, 10 + 650 / 32).model]);
  });
});
