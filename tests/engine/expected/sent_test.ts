// Expected values that were sent beside those that are computed, and integrals of both.
import { deepEqual } from "node:assert/strict";
import energy_migration from "../../../src/store/migrations/005_energy.sql" with { type: "text" };
import type { MeasureName } from "../../../src/model/plant/measure.ts";
import type { PlantTag } from "../../help/plant.ts";
import { acOf, expectedOf, inverter, params, power, same, weather } from "./model_help.ts";
import {
  assertVerified,
  at,
  each,
  modelled,
  roll,
  rolledUp,
  withPlant,
} from "../rollup/setpoint_help.ts";

const devices = [inverter("d1"), inverter("d2"), { id: "sys", type: "system" }];
const sunny = [weather(100, "poa_front"), weather(101, "ambient_temp")];
const light = [...each(100, [0, 60], (minute) => 640 + minute), ...each(101, [0, 60], 10)];
const worked = (minute: number) => acOf(640 + minute, 10 + (640 + minute) / 32).model;
const system: PlantTag = { tag_no: 9, sensors: [{ device_id: "sys", component: "system" }] };

function energy(tag_no: number, device_id: string): PlantTag {
  const sensor_tag = `energy ${tag_no}`;
  return { tag_no, sensor_tag, sensors: [{ device_id, measure: "energy" }] };
}

function sensorOf(sensor_no: number, measure: MeasureName) {
  return { sensor_no, measure };
}

const hour = (of: (minute: number) => number | null) => Array.from({ length: 60 }, (_, i) => of(i));

Deno.test("model: what is sent wins, sensor by sensor and minute by minute", async () => {
  const tags = [
    ...modelled(1),
    power(2, { device_id: "d2" }),
    ...[system, energy(3, "d1"), energy(4, "d2"), ...sunny],
  ];
  await withPlant({ devices, tags }, async (plant) => {
    await roll(plant, [...light, ...each(501, [0, 10], 300)]);
    await roll(plant, [{ tag: 501, at: at(501, 10, 0).at, value: null, quality: 2 }]);
    const first = (minute: number) => minute < 10 ? 300 : worked(minute);
    same(await expectedOf(plant, 1, [0, 60]), hour(first));
    same(await expectedOf(plant, 2, [0, 60]), hour(worked));
    same(await expectedOf(plant, 9, [0, 60]), hour((minute) => first(minute) + worked(minute)));
    same(await expectedOf(plant, 3, [0, 60]), hour((minute) => first(minute) / 60));
    same(await expectedOf(plant, 4, [0, 60]), hour((minute) => worked(minute) / 60));
    await assertVerified(plant);
  });
});

Deno.test("model: a sum that is sent wins over the sum, and feeds its own energy", async () => {
  const sent: PlantTag[] = [
    { ...system, sensor_tag: "sys" },
    { tag_no: 509, sensor_tag: "sys", lane: "model" },
  ];
  const tags = [power(1), power(2, { device_id: "d2" }), ...sent, ...sunny];
  const own: PlantTag = {
    tag_no: 5,
    sensors: [{ device_id: "sys", component: "system", measure: "active_energy_delivered" }],
  };
  await withPlant({ devices, tags: [...tags, own] }, async (plant) => {
    await roll(plant, light);
    await roll(plant, [at(509, 30, 900)]);
    // A sent value is carried for an hour.
    const wanted = (minute: number) => minute < 30 ? 2 * worked(minute) : 900;
    same(await expectedOf(plant, 9, [0, 60]), hour(wanted));
    same(await expectedOf(plant, 5, [0, 60]), hour((minute) => wanted(minute) / 60));
    same(await expectedOf(plant, 1, [0, 60]), hour(worked));
    await assertVerified(plant);
  });
});

Deno.test("model: an energy that is sent wins over the integral of its power", async () => {
  const scaled = { scale: 1000, offset: 6 };
  for (
    const [how, sent] of [
      [{ accumulation: "none" }, (minute: number) => minute < 20 ? null : 7006 / 60],
      [
        { accumulation: "interval", interval_s: 120 },
        (minute: number) => minute === 20 || minute === 21 ? 7006 / 2 : null,
      ],
      [{ accumulation: "counter" }, (minute: number) => minute === 20 ? 7000 : null],
    ] as const
  ) {
    const own: PlantTag = {
      ...{ tag_no: 3, sensor_tag: "energy 3" },
      sensors: [{ measure: "energy", ...how, ...scaled }],
    };
    const model: PlantTag = { tag_no: 503, sensor_tag: "energy 3", lane: "model" };
    await withPlant({ devices, tags: [power(1), own, model, ...sunny] }, async (plant) => {
      await roll(plant, [...light, at(503, 20, 7)]);
      const wanted = hour((minute) => sent(minute) ?? worked(minute) / 60);
      same(await expectedOf(plant, 3, [0, 60]), wanted);
      await assertVerified(plant);
    });
  }
});

Deno.test("model: what a tag is sent that is a power and an energy is the power's", async () => {
  const both: PlantTag = {
    tag_no: 1,
    sensor_tag: "p",
    sensors: [{ scale: 10, offset: 20 }, {
      sensor_no: 11,
      measure: "energy",
      scale: 10,
      offset: 20,
    }, {
      ...{ sensor_no: 12, measure: "energy_export", component: "meter", device_id: "m" },
      ...{ accumulation: "interval", interval_s: 900, scale: 0.25 },
    }],
  };
  const sent: PlantTag = { tag_no: 501, sensor_tag: "p", lane: "model" };
  const other = power(2, { device_id: "d2" });
  await withPlant({ devices, tags: [other, both, sent, ...sunny] }, async (plant) => {
    await roll(plant, light);
    await roll(plant, [at(501, 0, 28), at(501, 15, 43)]);
    await roll(plant, [{ tag: 501, at: at(501, 30, 0).at, value: null, quality: 2 }]);
    const wanted = (minute: number) => minute < 15 ? 300 : minute < 30 ? 450 : worked(minute);
    same(await expectedOf(plant, 1, [0, 60]), hour(wanted));
    same(await expectedOf(plant, 11, [0, 60]), hour((minute) => wanted(minute) / 60));
    // What is computed of the meter's is the sum of both inverters'.
    const above = (minute: number) => minute < 30 ? wanted(minute) : 2 * worked(minute);
    same(await expectedOf(plant, 12, [0, 60]), hour((minute) => above(minute) / 60));
    await roll(plant, [at(501, 15, 58)]);
    same(await expectedOf(plant, 11, [13, 17]), [5, 5, 10, 10]);
    await assertVerified(plant);
  });
});

Deno.test("model: whatever amount it is, a tag that is a rate too is sent the rate's", async () => {
  const pairs = [
    ["active_power", "energy_import"],
    ["active_power", "active_energy_received"],
    ["apparent_power", "apparent_energy"],
    ["reactive_power", "reactive_energy"],
    ["dc_power", "energy"],
  ] as const;
  const tags = pairs.flatMap(([rate, amount], i): PlantTag[] => [
    { tag_no: i + 1, sensor_tag: amount, sensors: [{ measure: rate }, sensorOf(i + 11, amount)] },
    { tag_no: i + 501, sensor_tag: amount, lane: "model" },
  ]);
  await withPlant({ tags }, async (plant) => {
    await roll(plant, pairs.flatMap((_, i) => [at(i + 501, 0, 300), at(i + 501, 15, 600)]));
    for (const i of pairs.keys()) {
      same(await expectedOf(plant, i + 11, [13, 17]), [5, 5, 10, 10]);
    }
    await assertVerified(plant);
  });
});

Deno.test("model: a migration puts an energy right that took the power as it was", async () => {
  const tags: PlantTag[] = [
    { tag_no: 1, sensor_tag: "p", sensors: [{}, { sensor_no: 11, measure: "energy" }] },
    { tag_no: 501, sensor_tag: "p", lane: "model" },
  ];
  await withPlant({ tags }, async (plant) => {
    await roll(plant, each(501, [0, 60], 300));
    const right = await rolledUp(plant);
    await plant.database.write(async ({ connection }) => {
      for (const table of ["reading", "quarter", "daily"] as const) {
        await connection.script(too_large[table]);
      }
    });
    await plant.roll.settle();
    same(await expectedOf(plant, 11, [0, 60]), hour(() => 300));
    await plant.database.write(({ connection }) => connection.script(energy_migration));
    await plant.roll.settle();
    same(await expectedOf(plant, 11, [0, 60]), hour(() => 5));
    deepEqual(await rolledUp(plant), right);
  });
});

/** What the energy was computed as before. */
const too_large = {
  reading: "UPDATE reading SET model = 60 * model WHERE sensor_no = 11",
  quarter: "UPDATE quarter SET model = 60 * model WHERE sensor_no = 11",
  daily: "UPDATE daily SET model = 60 * model WHERE sensor_no = 11",
} as const;

Deno.test("model: an insolation's is the integral of its irradiance's", async () => {
  const tags: PlantTag[] = [
    ...modelled(1, { component: "met", device_id: "met", measure: "ghi" }),
    {
      tag_no: 2,
      sensors: [{ component: "met", device_id: "met", measure: "ghi_insolation" }],
    },
  ];
  await withPlant({ tags }, async (plant) => {
    await roll(plant, each(501, [0, 60], (minute) => 600 + minute));
    same(await expectedOf(plant, 2, [0, 60]), hour((minute) => (600 + minute) / 60));
    await assertVerified(plant);
  });
});

Deno.test("model: an efficiency curve stands in for PVWatts'", async () => {
  const curve = [[0.1, 0.9], [0.5, 0.97], [1, 0.95]];
  const bent = inverter("d1", { pv: JSON.stringify({ ...params, efficiency_curve: curve }) });
  await withPlant({ devices: [bent], tags: [power(1), ...sunny] }, async (plant) => {
    await roll(plant, [at(100, 0, 500), at(101, 0, 10)]);
    const dc = 0.5 * 1200 * (1 - 0.004 * (10 + 500 / 32 - 25)) * 0.9;
    const load = dc * 0.96 / 1000;
    const efficiency = 0.97 + (load - 0.5) / 0.5 * -0.02;
    same(await expectedOf(plant, 1, [0, 1]), [dc * efficiency]);
  });
});
