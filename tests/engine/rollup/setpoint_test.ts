// Expected values and setpoints: the columns of readings that say what a plant should have made.
import { deepEqual, ok } from "node:assert/strict";
import type { Plain } from "../../../src/store/connection.ts";
import { openPlant, type PlantSample, type PlantTag, type TestPlant } from "../../help/plant.ts";
import { whole_readings } from "../../help/reading.ts";

/** Four quarter-hour means in W and what an hour of them comes to. */
const hour = {
  model: [800, 900, 1000, 900],
  setpoint: [null, null, 600, 600],
  sensor: [780, 880, 598, 590],
  value: 712,
  model_setpoint: 725,
  value_setpoint: 887,
} as const;

const power: PlantTag = { tag_no: 1, sensor_tag: "p", sensors: [{ capacity: 1000 }] };
const power_model: PlantTag = { tag_no: 2, sensor_tag: "p", lane: "model" };
const energy: PlantTag = {
  tag_no: 3,
  sensors: [{ measure: "energy", accumulation: "interval", interval_s: 900 }],
};
const own_setpoint: PlantTag = { tag_no: 4, sensors: [{ measure: "active_power_setpoint" }] };

Deno.test("setpoint: an hour's columns are sums of minutes, of power and its energy", async () => {
  const plant = await openPlant({ tags: [power, power_model, energy, own_setpoint] });
  await plant.store([
    ...everyMinute(1, hour.sensor),
    ...everyMinute(2, hour.model),
    ...everyMinute(4, hour.setpoint),
    ...hour.sensor.map((value, i) => ({ tag: 3, at: minuteAt(15 * i), value: value / 4 })),
  ]);
  await plant.roll.settle();
  near(await hourOf(plant, 1, 60), {
    value: hour.value,
    model: 900,
    value_setpoint: hour.value_setpoint,
    model_setpoint: hour.model_setpoint,
  });
  near(await hourOf(plant, 3, 1), {
    value: hour.value,
    model: 900,
    value_setpoint: hour.value_setpoint,
    model_setpoint: hour.model_setpoint,
  });
  await plant.close();
});

Deno.test("setpoint: a late model or setpoint rewrites what depends on it", async () => {
  const plant = await openPlant({ tags: [power, power_model, energy, own_setpoint] });
  const parts = [
    everyMinute(1, hour.sensor),
    everyMinute(4, hour.setpoint),
    everyMinute(2, hour.model),
  ];
  for (const part of parts) {
    await plant.store(part);
    await plant.roll.settle();
  }
  near(await hourOf(plant, 1, 60), {
    value: hour.value,
    model: 900,
    value_setpoint: hour.value_setpoint,
    model_setpoint: hour.model_setpoint,
  });
  await plant.close();
});

Deno.test("setpoint: without one below rated power, columns are the plain ones", async () => {
  for (const setpoint of [[null, null, null, null], [1000, 1000, 1000, 1000]]) {
    const plant = await openPlant({ tags: [power, power_model, own_setpoint] });
    await plant.store([
      ...everyMinute(1, hour.sensor),
      ...everyMinute(2, hour.model),
      ...everyMinute(4, setpoint),
    ]);
    await plant.roll.settle();
    near(await hourOf(plant, 1, 60), {
      value: hour.value,
      model: 900,
      value_setpoint: hour.value,
      model_setpoint: 900,
    });
    await plant.close();
  }
});

Deno.test("setpoint: it is active for an hour after its last sample", async () => {
  const plant = await openPlant({ tags: [power, power_model, own_setpoint] });
  await plant.store([
    { tag: 2, at: minuteAt(0), value: 900 },
    { tag: 2, at: minuteAt(59), value: 900 },
    { tag: 4, at: minuteAt(-30), value: 500 },
  ]);
  await plant.roll.settle();
  deepEqual(
    await plant.rows(
      `SELECT model_setpoint, count(*)::INTEGER AS minutes FROM ${whole_readings} ` +
        "WHERE sensor_no = 1 AND minute < 29671860 GROUP BY model_setpoint ORDER BY model_setpoint",
    ),
    [{ model_setpoint: 500, minutes: 30 }, { model_setpoint: 900, minutes: 30 }],
  );
  await plant.close();
});

Deno.test("setpoint: the plant's is shared by its inverters by their models", async () => {
  const plant = await openPlant({
    tags: [
      { tag_no: 1, sensor_tag: "a", sensors: [{ device_id: "a", capacity: 1000 }] },
      { tag_no: 2, sensor_tag: "b", sensors: [{ device_id: "b", capacity: 1000 }] },
      { tag_no: 3, sensor_tag: "a", lane: "model" },
      { tag_no: 4, sensor_tag: "b", lane: "model" },
      {
        tag_no: 5,
        sensors: [{ device_id: "m", component: "meter", measure: "active_power_setpoint" }],
      },
    ],
  });
  const minute = (tag: number, value: number) => ({ tag, at: minuteAt(0), value });
  await plant.store([
    minute(3, 900),
    minute(4, 300),
    minute(5, 800),
    minute(1, 590),
    minute(2, 210),
  ]);
  await plant.roll.settle();
  const rows = `SELECT model_setpoint, value_setpoint FROM ${whole_readings} ` +
    "WHERE value IS NOT NULL AND sensor_no < 5 ORDER BY sensor_no";
  deepEqual(await plant.rows(rows), [
    { model_setpoint: 600, value_setpoint: 890 },
    { model_setpoint: 200, value_setpoint: 310 },
  ]);
  await plant.store([minute(4, 700)]);
  await plant.roll.settle();
  deepEqual((await plant.rows(rows)).map((row) => row.model_setpoint), [450, 350]);
  await plant.close();
});

Deno.test("setpoint: the plant's is active while a rated power is not known", async () => {
  const plant = await openPlant({
    tags: [
      { tag_no: 1, sensor_tag: "a", sensors: [{ device_id: "a", capacity: 1000 }] },
      { tag_no: 2, sensor_tag: "b", sensors: [{ device_id: "b" }] },
      { tag_no: 3, sensor_tag: "a", lane: "model" },
      { tag_no: 4, sensor_tag: "b", lane: "model" },
      {
        tag_no: 5,
        sensors: [{ device_id: "m", component: "meter", measure: "active_power_setpoint" }],
      },
    ],
  });
  const minute = (tag: number, value: number) => ({ tag, at: minuteAt(0), value });
  await plant.store([minute(3, 900), minute(4, 900), minute(5, 1200)]);
  await plant.roll.settle();
  deepEqual(
    await plant.rows(
      `SELECT model_setpoint FROM ${whole_readings} ` +
        "WHERE sensor_no < 5 AND minute = 29671800 ORDER BY sensor_no",
    ),
    [{ model_setpoint: 600 }, { model_setpoint: 600 }],
  );
  await plant.close();
});

Deno.test("model: an increment's expected amounts are spread and never carried", async () => {
  const plant = await openPlant({
    tags: [{ ...energy, sensor_tag: "e" }, { tag_no: 5, sensor_tag: "e", lane: "model" }],
  });
  await plant.store([{ tag: 5, at: minuteAt(0), value: 30 }]);
  await plant.roll.settle();
  deepEqual(
    await plant.rows("SELECT n, model_n, model FROM quarter"),
    [{ n: 0, model_n: 15, model: 30 }],
  );
  await plant.close();
});

const start_us = Date.parse("2026-06-01T10:00:00Z") * 1000;

function minuteAt(minute: number): number {
  return start_us + minute * 60_000_000;
}

/** A sample each minute of an hour, whose quarter-hours have the given values. */
function everyMinute(tag: number, values: readonly (number | null)[]): PlantSample[] {
  return Array.from({ length: 60 }, (_, i) => ({
    tag,
    at: minuteAt(i),
    value: values[Math.floor(i / 15)],
  })).filter((sample) => sample.value !== null);
}

async function hourOf(
  plant: TestPlant,
  sensor_no: number,
  divisor: number,
): Promise<Record<string, Plain>> {
  const [row] = await plant.rows(
    `SELECT sum(value) / ${divisor} AS value, sum(model) / ${divisor} AS model, ` +
      `sum(coalesce(value_setpoint, value)) / ${divisor} AS value_setpoint, ` +
      `sum(coalesce(model_setpoint, model)) / ${divisor} AS model_setpoint FROM quarter ` +
      `WHERE sensor_no = ${sensor_no} AND quarter < 1978124`,
  );
  return row;
}

function near(actual: Record<string, Plain>, expected: Record<string, number>): void {
  for (const [name, value] of Object.entries(expected)) {
    ok(Math.abs(Number(actual[name]) - value) < 1e-9, `${name} is ${actual[name]}, not ${value}`);
  }
}
