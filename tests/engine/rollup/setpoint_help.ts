// Inverters with expected values and setpoints, and what is rolled up of them, for tests.
import { ok } from "node:assert/strict";
import { verify } from "../../../src/engine/rollup/pass.ts";
import type { MeasureName } from "../../../src/model/plant/measure.ts";
import type { Sensor } from "../../../src/model/plant/plant.ts";
import type { Plain } from "../../../src/store/connection.ts";
import {
  openPlant,
  type PlantOptions,
  type PlantSample,
  type PlantTag,
  type TestPlant,
} from "../../help/plant.ts";
import { whole_readings } from "../../help/reading.ts";

/** Noon where the plant stands, in minutes since 1970; the clock stands four hours later. */
export const noon = Date.parse("2026-06-01T18:00:00Z") / 60_000;

/** Opens a plant, works with it, and closes it. */
export async function withPlant(
  options: PlantOptions,
  work: (plant: TestPlant) => Promise<void>,
): Promise<void> {
  const plant = await openPlant({ at: "2026-06-01T22:00:00Z", ...options });
  try {
    await work(plant);
  } finally {
    await plant.close();
  }
}

/** The tags of a sensor's values and, 500 numbers on, of its expected values. */
export function modelled(tag_no: number, sensor: Partial<Sensor> = {}): PlantTag[] {
  const sensor_tag = `power ${tag_no}`;
  return [
    { tag_no, sensor_tag, sensors: [sensor] },
    { tag_no: tag_no + 500, sensor_tag, lane: "model" },
  ];
}

/** The tag of one setpoint, on the device `d1` if not said otherwise. */
export function setpoint(tag_no: number, sensor: Partial<Sensor> = {}): PlantTag {
  return { tag_no, sensors: [{ measure: "active_power_setpoint", ...sensor }] };
}

export const setpoint_measures = [
  "active_power_setpoint",
  "active_power_setpoint_local",
  "active_power_setpoint_remote",
  "active_power_setpoint_ac_pct",
  "active_power_setpoint_dc_pct",
] as const satisfies readonly MeasureName[];

/** A sample at a minute after noon (parts of minutes too). */
export function at(tag: number, minute: number, value: number | null): PlantSample {
  return { tag, at: (noon + minute) * 60_000_000, value };
}

/** A sample each minute of [from, to) after noon. */
export function each(
  tag: number,
  [from, to]: readonly [number, number],
  value: number | ((minute: number) => number),
): PlantSample[] {
  return Array.from({ length: to - from }, (_, i) => {
    const minute = from + i;
    return at(tag, minute, typeof value === "number" ? value : value(minute));
  });
}

/** A sensor's expected values under setpoints, of the minutes [from, to) after noon. */
export async function curbed(
  plant: TestPlant,
  sensor_no: number,
  [from, to]: readonly [number, number],
): Promise<(number | null)[]> {
  const rows = await plant.rows(
    `SELECT minute - ${noon} AS minute, model_setpoint FROM ${whole_readings} ` +
      `WHERE sensor_no = ${sensor_no} ORDER BY minute`,
  );
  const found = new Map(rows.map((row) => [row.minute, row.model_setpoint]));
  return Array.from({ length: to - from }, (_, i) => {
    const value = found.get(from + i) ?? null;
    return value === null ? null : Number(Number(value).toPrecision(12));
  });
}

/** Stores some samples and rolls them up. */
export async function roll(plant: TestPlant, samples: readonly PlantSample[]): Promise<void> {
  await plant.store(samples);
  await plant.roll.settle();
}

/** Every rolled-up row, but for when it was stored, with numbers to nine places. */
export async function rolledUp(plant: TestPlant): Promise<Record<string, unknown>> {
  const tables: Record<string, unknown> = {};
  for (const [table, order] of Object.entries(orders)) {
    const rows = await plant.rows(`SELECT * FROM ${table} ORDER BY ${order}`);
    tables[table] = rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, rounded(value)]))
    );
  }
  return tables;
}

const orders = {
  reading: "sensor_no, minute",
  quarter: "sensor_no, quarter, light",
  daily: "sensor_no, day, light",
} as const;

function rounded(value: Plain): Plain {
  return typeof value === "number" ? Number(value.toPrecision(9)) + 0 : value;
}

/** Asserts that working everything out from scratch changes nothing. */
export async function assertVerified(plant: TestPlant): Promise<void> {
  for await (const { examples, differences } of verify(plant)) {
    const count = Object.values(differences).reduce((sum, n) => sum + n, 0);
    ok(count === 0, examples.join("\n"));
  }
}

/** Asserts that numbers are equal but for rounding. */
export function near(actual: readonly (number | null)[], expected: readonly (number | null)[]) {
  expected.forEach((value, i) => {
    const found = actual[i];
    const same = value === null || found === null
      ? value === found
      : Math.abs(found - value) <= 1e-9 * Math.max(1, Math.abs(value));
    ok(same, `${found} at ${i}, not ${value}: ${actual}`);
  });
}
