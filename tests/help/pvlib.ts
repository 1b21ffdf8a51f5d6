// Works the year of tests/data/pvlib out with the service's own sun, planes and SQL.
//
// Run it for a table of the worst differences: deno run -A tests/help/pvlib.ts
import type { Chunk, Vector } from "../../src/model/data/chunk.ts";
import { planeAt } from "../../src/model/expected/plane.ts";
import type { Mount } from "../../src/model/expected/pv.ts";
import { sunAt } from "../../src/model/time/sun.ts";
import type { Connection } from "../../src/store/connection.ts";
import { Database } from "../../src/store/database.ts";
import { fakeEffects } from "./effects.ts";
import { installPv } from "../../src/store/expected/pv.ts";
import array from "../data/pvlib/array.json" with { type: "json" };
import difference from "../data/pvlib/difference.sql" with { type: "text" };
import places from "../data/pvlib/sites.json" with { type: "json" };
import { queryRows } from "./query.ts";

/** The worst difference of a quantity in the year, in the quantity's unit, and its place. */
export type Worst = {
  readonly quantity: string;
  /** The sun is a degree up or more; else it is on the horizon. */
  readonly up: boolean;
  readonly worst: number;
  readonly site: string;
  readonly at: string;
};

const year = new URL("../data/pvlib/year.csv.gz", import.meta.url).pathname;
const names = [
  ...["sun_zenith", "sun_azimuth", "sun_extra", "cos_zenith"],
  ...["fixed_cos_aoi", "fixed_cos_tilt", "tracker_cos_aoi", "tracker_cos_tilt", "albedo"],
] as const;

/** Each quantity's worst difference from pvlib over a year of hours at three places. */
export async function differFromPvlib(): Promise<readonly Worst[]> {
  const database = await Database.open({ path: ":memory:", effects: fakeEffects().effects });
  try {
    return await database.write(({ connection }) => differ(connection));
  } finally {
    await database.close();
  }
}

async function differ(connection: Connection): Promise<readonly Worst[]> {
  await installPv(connection);
  await connection.script(`CREATE TEMP TABLE year AS
      SELECT row_number() OVER () - 1 AS row, * FROM read_csv('${year}')`);
  await connection.script(
    `CREATE TEMP TABLE view (row INTEGER, ${names.map((it) => `${it} DOUBLE`).join(", ")})`,
  );
  const hours = await queryRows<{ site: number; minute: number }>(
    connection,
    "SELECT site::INTEGER AS site, minute::INTEGER AS minute FROM year ORDER BY row",
  );
  await connection.append("view", columnsOf(hours.map(viewOf)));
  const { faiman, sapm, pvsyst, ...numbers } = array;
  const parameters = { ...numbers, ...flat({ faiman, sapm, pvsyst }) };
  const rows = await queryRows<Worst & { site: never }>(connection, difference, parameters);
  return rows.map((row) => ({ ...row, site: places[row.site].name }));
}

/** What `names` lists, of one hour. */
function viewOf({ site, minute }: { site: number; minute: number }): readonly number[] {
  const { latitude, longitude, fixed, tracker, albedo } = places[site];
  const sun = sunAt({ latitude, longitude }, minute * 60_000_000);
  const views = [fixed, tracker].map((mount) => planeAt(mount as Mount, sun));
  return [
    ...[sun.zenith, sun.azimuth, sun.extra_w_m2, sun.cos_zenith],
    ...views.flatMap(({ cos_aoi, cos_tilt }) => [cos_aoi, cos_tilt]),
    albedo,
  ];
}

function columnsOf(rows: readonly (readonly number[])[]): Chunk {
  const columns = [rows.map((_, i) => i), ...names.map((_, c) => rows.map((row) => row[c]))];
  const vectors = columns.map((values): Vector => ({
    kind: "float64",
    values: Float64Array.from(values),
  }));
  return { rows: rows.length, vectors };
}

/** `{ a: { b: 1 } }` as `{ a_b: 1 }`. */
function flat(groups: Record<string, Record<string, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(groups).flatMap(([group, numbers]) =>
      Object.entries(numbers).map(([name, value]) => [`${group}_${name}`, value])
    ),
  );
}

// deno-lint-ignore no-console -- it is run for what it prints
if (import.meta.main) console.table(await differFromPvlib());
