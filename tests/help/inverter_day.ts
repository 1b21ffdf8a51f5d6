// Inverters with days and states put straight into the tables, for tests of what reads them.
import type { Project, Site } from "../../src/model/plant/plant.ts";
import type { Plain } from "../../src/store/connection.ts";
import type { Database } from "../../src/store/database.ts";
import { putPlant, testSensor } from "./reading.ts";
import { runQuery } from "./query.ts";

/** An inverter by its sensor's number; its device and hierarchy row are named after it. */
export type TestInverter = {
  readonly no: number;
  readonly project_no: number;
  readonly site_no: number;
  readonly capacity: number | null;
  readonly block_id?: string;
  readonly sentinel_tag?: string;
};

/** One inverter's local day; what is not said is 0, energies null. */
export type TestDay = {
  readonly day: number;
  readonly no: number;
  readonly daylight_s?: number;
  readonly basis_s?: number;
  readonly unavailable_s?: number;
  readonly expected_wh?: number;
  readonly produced_wh?: number;
  readonly unavailable_wh?: number;
  readonly curtailed_wh?: number;
  readonly clipped_wh?: number;
  readonly grid_wh?: number;
  readonly dc_wh?: number;
  readonly derate_wh?: number;
  readonly snow_wh?: number;
  readonly soiling_wh?: number;
  readonly unmeasured_wh?: number;
};

/** The hierarchy row of an inverter. */
export function hierarchyOf(no: number): string {
  return `hierarchy-${String(no).padStart(3, "0")}`;
}

/** Stores projects with sites and inverters, each an active power sensor. */
export async function putInverters(
  database: Database,
  plant: {
    readonly projects: readonly Project[];
    readonly sites: readonly Site[];
    readonly inverters: readonly TestInverter[];
  },
): Promise<void> {
  const sensors = plant.inverters.map(({ no, project_no, site_no, ...more }) =>
    testSensor(
      { sensor_no: no, project_no, site_no, component: "inverter", measure: "active_power" },
      more,
    )
  );
  await putPlant(database, { ...plant, sensors });
  await insertRows(
    database,
    "device",
    plant.inverters.map(({ no, site_no }) => (
      { id: `device-${no}`, site_no, key: `inv${no}`, name: `Inverter ${no}`, type: "inverter" }
    )),
  );
}

/** Stores days of inverters. */
export function putDays(database: Database, days: readonly TestDay[]): Promise<void> {
  const zeros = { daylight_s: 0, basis_s: 0, unavailable_s: 0 };
  return insertRows(
    database,
    "inverter_day",
    days.map(({ no, ...row }) => ({ ...zeros, ...row, sensor_no: no })),
  );
}

/** Appends rows to a table by the names of their columns. */
export function insertRows(
  database: Database,
  table: string,
  rows: readonly Record<string, Plain | readonly string[]>[],
): Promise<void> {
  return database.write(async ({ connection }) => {
    for (const row of rows) {
      const names = Object.keys(row);
      const places = names.map((name) => `$${name}`).join(", ");
      const columns = names.map((name) => `"${name}"`).join(", ");
      await runQuery(connection, `INSERT INTO ${table} (${columns}) VALUES (${places})`, row);
    }
  });
}
