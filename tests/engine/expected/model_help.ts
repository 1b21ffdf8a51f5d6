// A small modelled plant for tests, and its expected power by formulas of the tests' own.
import { ok } from "node:assert/strict";
import type { Sensor } from "../../../src/model/plant/plant.ts";
import type { PlantDevice, PlantTag, TestPlant } from "../../help/plant.ts";
import { noon } from "../rollup/setpoint_help.ts";

/** Parameters of every inverter here: 1 kW under 1.2 kW of modules. */
export const params = {
  rated_dc_w: 1200,
  rated_ac_w: 1000,
  gamma: -0.004,
  losses: 0.1,
  efficiency: 0.96,
} as const;

/** An inverter with these parameters. */
export function inverter(id: string, device: Partial<PlantDevice> = {}): PlantDevice {
  return { id, pv: JSON.stringify(params), ...device };
}

/** The tag of an inverter's power, `d1`'s if not said otherwise. */
export function power(tag_no: number, sensor: Partial<Sensor> = {}): PlantTag {
  return { tag_no, sensors: [sensor] };
}

/** The tag of a met station's sensor. */
export function weather(tag_no: number, measure: Sensor["measure"], sensor: Partial<Sensor> = {}) {
  const place: Partial<Sensor> = { component: "met", device_id: "met", measure, ...sensor };
  return { tag_no, sensors: [place] } satisfies PlantTag;
}

/** Cell temperature by Faiman's model with its usual numbers. */
export function faiman(poa: number, ambient: number, wind: number): number {
  return ambient + poa / (25 + 6.84 * wind);
}

/** Expected power and what is clipped, for an irradiance and a cell temperature. */
export function acOf(
  poa: number,
  cell: number,
): { readonly model: number; readonly clipped: number } {
  const { rated_dc_w, rated_ac_w, gamma, losses, efficiency } = params;
  const dc = poa / 1000 * rated_dc_w * (1 + gamma * (cell - 25)) * (1 - losses);
  const load = dc / (rated_ac_w / efficiency);
  const nominal = -0.0162 * load + 0.9858 - 0.0059 / load;
  const ac = load === 0 ? 0 : Math.max(0, dc * nominal * efficiency / 0.9637);
  return { model: Math.min(ac, rated_ac_w), clipped: Math.max(ac - rated_ac_w, 0) };
}

/** A sensor's expected values of the minutes [from, to) after noon; null where there is none. */
export async function expectedOf(
  plant: TestPlant,
  sensor_no: number,
  [from, to]: readonly [number, number],
): Promise<(number | null)[]> {
  return await columnOf(plant, { sensor_no, column: "model" }, [from, to]);
}

/** A column of a sensor's readings of the minutes [from, to) after noon. */
export async function columnOf(
  plant: TestPlant,
  { sensor_no, column }: {
    readonly sensor_no: number;
    readonly column: "value" | "model" | "clipped";
  },
  [from, to]: readonly [number, number],
): Promise<(number | null)[]> {
  const rows = await plant.rows(
    `SELECT minute - ${noon} AS minute, ${column} AS found FROM reading ` +
      `WHERE sensor_no = ${sensor_no} ORDER BY minute`,
  );
  const found = new Map(rows.map((row) => [row.minute, row.found as number | null]));
  return Array.from({ length: to - from }, (_, i) => found.get(from + i) ?? null);
}

/** Asserts that numbers are equal but for rounding and that as many are there. */
export function same(
  actual: readonly (number | null)[],
  expected: readonly (number | null)[],
): void {
  ok(actual.length === expected.length, `${actual.length} numbers, not ${expected.length}`);
  expected.forEach((value, i) => {
    const found = actual[i];
    const equal = value === null || found === null
      ? value === found
      : Math.abs(found - value) <= 1e-9 * Math.max(1, Math.abs(value));
    ok(equal, `${found} at ${i}, not ${value}: ${actual}`);
  });
}
