// Which setpoints are active when: their sources, the least of several, how long they hold.
import { deepEqual } from "node:assert/strict";
import type { MeasureName } from "../../../src/model/plant/measure.ts";
import type { PlantTag } from "../../help/plant.ts";
import {
  assertVerified,
  at,
  curbed,
  modelled,
  roll,
  setpoint,
  setpoint_measures,
  withPlant,
} from "./setpoint_help.ts";

const rated = { capacity: 1000 } as const;
const rated_pv = JSON.stringify({ rated_dc_w: 1250, rated_ac_w: 1000 });

/** 40 of each unit comes to so many W on one inverter of 1000 W AC and 1250 W DC. */
const forty: Record<(typeof setpoint_measures)[number], number> = {
  active_power_setpoint: 40,
  active_power_setpoint_local: 40,
  active_power_setpoint_remote: 40,
  active_power_setpoint_ac_pct: 400,
  active_power_setpoint_dc_pct: 500,
};

/** Each kind of setpoint of 40 in a minute of its own, which ends with an unusable one. */
const in_turn = setpoint_measures.flatMap((_, i) => [
  at(11 + i, i, 40),
  { ...at(11 + i, i + 1, 40), quality: 2 },
]);

Deno.test("setpoint: each kind on an inverter reaches its power", async () => {
  const tags = [
    ...modelled(1, rated),
    ...setpoint_measures.map((measure, i) => setpoint(11 + i, { measure })),
  ];
  await withPlant({ tags, devices: [{ id: "d1", pv: rated_pv }] }, async (plant) => {
    await roll(plant, [at(501, 0, 900), ...in_turn]);
    deepEqual(await curbed(plant, 1, [0, 6]), [...Object.values(forty), 900]);
  });
});

for (const component of ["system", "meter", "bess_ppc"] as const) {
  Deno.test(`setpoint: each kind on a ${component} is shared by inverters`, async () => {
    const tags = [
      ...modelled(1, { ...rated, device_id: "a" }),
      ...modelled(2, { ...rated, device_id: "b" }),
      ...setpoint_measures.map((measure, i) =>
        setpoint(11 + i, { measure, component, device_id: "plant" })
      ),
    ];
    const devices = [{ id: "a", pv: rated_pv }, { id: "b", pv: rated_pv }];
    await withPlant({ tags, devices }, async (plant) => {
      await roll(plant, [at(501, 0, 900), at(502, 0, 600), ...in_turn]);
      const plant_w = [40, 40, 40, 800, 1000];
      deepEqual(await curbed(plant, 1, [0, 6]), [...plant_w.map((it) => it * 900 / 1500), 900]);
      deepEqual(await curbed(plant, 2, [0, 6]), [...plant_w.map((it) => it * 600 / 1500), 600]);
    });
  });
}

Deno.test("setpoint: percent of DC is of the DC power's capacity without parameters", async () => {
  const tags = [
    ...modelled(1, rated),
    setpoint(2, { measure: "active_power_setpoint_dc_pct" }),
    { tag_no: 3, sensors: [{ measure: "dc_power", capacity: 1500 }] } as const,
  ];
  await withPlant({ tags }, async (plant) => {
    await roll(plant, [at(501, 0, 900), at(2, 0, 40)]);
    deepEqual(await curbed(plant, 1, [0, 1]), [600]);
  });
});

for (const measure of ["active_power_setpoint_dc_pct", "active_power_setpoint_ac_pct"] as const) {
  Deno.test(`setpoint: ${measure} without a rating is not active`, async () => {
    const own = [...modelled(1), setpoint(2, { measure })];
    const plants = [
      ...modelled(1),
      setpoint(2, { measure, component: "meter", device_id: "meter" }),
    ];
    for (const tags of [own, plants]) {
      await withPlant({ tags }, async (plant) => {
        await roll(plant, [at(501, 0, 900), at(2, 0, 40), at(1, 0, 850)]);
        deepEqual(await curbed(plant, 1, [0, 2]), [900, 900]);
      });
    }
  });
}

Deno.test("setpoint: scale and offset of its sensor hold", async () => {
  const tags = [...modelled(1, rated), setpoint(2, { scale: 1000, offset: -100 })];
  await withPlant({ tags }, async (plant) => {
    await roll(plant, [at(501, 0, 900), at(2, 0, 0.5)]);
    deepEqual(await curbed(plant, 1, [0, 1]), [400]);
  });
});

Deno.test("setpoint: the least of several counts", async () => {
  const tags: PlantTag[] = [
    ...modelled(1, { ...rated, device_id: "a" }),
    ...modelled(2, { ...rated, device_id: "b" }),
    ...(["active_power_setpoint_local", "active_power_setpoint_remote"] as const)
      .map((measure, i) => setpoint(3 + i, { measure, device_id: "a" })),
    setpoint(5, { component: "meter", device_id: "m" }),
    setpoint(6, { component: "system", device_id: null }),
  ];
  await withPlant({ tags }, async (plant) => {
    await roll(plant, [
      ...[at(501, 0, 800), at(502, 0, 800), at(3, 0, 500), at(4, 1, 300), at(4, 2, 900)],
      ...[at(5, 3, 900), at(6, 4, 700), at(6, 5, 1100)],
    ]);
    deepEqual(await curbed(plant, 1, [0, 6]), [500, 300, 500, 450, 350, 450]);
    deepEqual(await curbed(plant, 2, [0, 6]), [800, 800, 800, 450, 350, 450]);
    await assertVerified(plant);
  });
});

Deno.test("setpoint: it is held from its instant on, weighing parts of a minute", async () => {
  const tags = [...modelled(1, rated), setpoint(2)];
  await withPlant({ tags }, async (plant) => {
    // Active in the last quarter of minute 1; in minute 3 a third at 300 W, the rest at 600 W.
    await roll(plant, [at(501, 0, 900), at(2, 1.75, 300), at(2, 3 + 1 / 3, 600)]);
    deepEqual(await curbed(plant, 1, [0, 5]), [900, 300, 300, 500, 600]);
  });
});

for (
  const [measure, component] of [["active_power_setpoint", "inverter"], [
    "active_power_setpoint_remote",
    "meter",
  ]] as const satisfies readonly (readonly [MeasureName, string])[]
) {
  Deno.test(`setpoint: of the ${component}, it is stale after an hour`, async () => {
    const tags = [...modelled(1, rated), setpoint(2, { measure, component })];
    await withPlant({ tags }, async (plant) => {
      const models = [at(501, 0, 900), at(501, 59, 900), at(501, 100, 900)];
      await roll(plant, [...models, at(2, 0, 500)]);
      const found = await curbed(plant, 1, [0, 70]);
      deepEqual(found, [...Array(60).fill(500), ...Array(10).fill(900)]);
      await assertVerified(plant);
      // The next one comes 59 minutes later in one plant, 61 minutes in another.
      await roll(plant, [at(2, 59, 400)]);
      deepEqual(await curbed(plant, 1, [58, 62]), [500, 400, 400, 400]);
      await roll(plant, [at(2, 180, 100)]);
      deepEqual(await curbed(plant, 1, [117, 121]), [400, 400, 900, 900]);
      await assertVerified(plant);
    });
    await withPlant({ tags }, async (plant) => {
      await roll(plant, [at(501, 0, 900), at(501, 59, 900), at(2, 0, 500), at(2, 61, 400)]);
      deepEqual(await curbed(plant, 1, [58, 63]), [500, 500, 900, 400, 400]);
    });
  });
}

Deno.test("setpoint: an unusable one ends it, one at rated power is none", async () => {
  const tags = [...modelled(1, rated), setpoint(2)];
  await withPlant({ tags }, async (plant) => {
    const bad = { ...at(2, 3, 400), quality: 2 };
    await roll(plant, [at(501, 0, 1100), at(2, 0, 500), bad, at(2, 5, 1000), at(2, 7, 999)]);
    deepEqual(await curbed(plant, 1, [2, 9]), [500, 1100, 1100, 1100, 1100, 999, 999]);
  });
});

Deno.test("setpoint: a negative one and zero are active", async () => {
  const tags = [...modelled(1, rated), setpoint(2)];
  await withPlant({ tags }, async (plant) => {
    await roll(plant, [at(501, 0, 900), at(2, 0, 0), at(2, 1, -50)]);
    deepEqual(await curbed(plant, 1, [0, 2]), [0, -50]);
  });
});
