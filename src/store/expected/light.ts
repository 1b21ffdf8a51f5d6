// Irradiance that stands still, or is missing below a high sun: the rule as macros, and by it the
// sensors that are stuck or dead.
import { oneOf, type PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import light_find_sql from "./light_find.sql" with { type: "text" };
import light_run_sql from "./light_run_find.sql" with { type: "text" };

/**
 * Whether the half hour up to a minute has one value: three or more, over 25 minutes or more. Of
 * rows by minute; two columns say whose they are.
 */
const line = statement({
  sql: `
    CREATE OR REPLACE TEMP MACRO light_line(value, minute, pool, sensor) AS coalesce(
      min(value) OVER (PARTITION BY pool, sensor ORDER BY minute RANGE 30 PRECEDING)
      = max(value) OVER (PARTITION BY pool, sensor ORDER BY minute RANGE 30 PRECEDING)
      AND count(value) OVER (PARTITION BY pool, sensor ORDER BY minute RANGE 30 PRECEDING) >= 3
      AND minute - min(minute) FILTER (value IS NOT NULL)
        OVER (PARTITION BY pool, sensor ORDER BY minute RANGE 30 PRECEDING) >= 25, false
    )`,
});

/** A value as it is looked at: near 0 it is none. */
const shown = statement({
  sql: "CREATE OR REPLACE TEMP MACRO light_shown(value) AS if(value > 5, value, 0)",
});

/**
 * Whether a value that stands still is not a live sensor's, by the sun's altitude in degrees. Near
 * 0 it can be; while the sun is low, so can all that is so dim that steps hide what changes.
 */
const stuck = statement({
  sql: `
    CREATE OR REPLACE TEMP MACRO light_stuck(value, altitude) AS
      value > if(altitude >= 15, 5, 100)`,
});

/** Whether a value near 0 is no light at all: below a higher sun it is, but for the direct one. */
const dead = statement({
  sql: `
    CREATE OR REPLACE TEMP MACRO light_dead(value, altitude, quantity) AS
      value <= 5 AND altitude >= 15 AND quantity <> 'dni'`,
});

/** The rule. */
export const light_macros = [line, shown, stuck, dead] as const;

const of_lights = {
  sensors: "int32[]",
  tags: "int32[]",
  scales: "float64[]",
  offsets: "float64[]",
  from_minute: "int32",
} as const;

const light_find = statement({
  sql: light_find_sql,
  parameters: { ...of_lights, altitudes: "int32[]", quantities: "text[]" },
  row: { sensor_no: "int32", state: oneOf(["stuck", "dead"]) },
});

/** A sensor of irradiance, what of it, and where the sun stands for it, in degrees. */
export type LightSensor = {
  readonly sensor_no: number;
  readonly tag_no: number;
  readonly scale: number;
  readonly offset: number;
  readonly altitude: number;
  readonly measure: string;
};

/** Some sensors, and the minute from which on they are looked at. */
type LightSpan<Light> = { readonly sensors: readonly Light[]; readonly from_minute: number };

/** Those that are stuck or dead at the last minute of which they have a value, by number. */
export async function findFailedLights(
  connection: Connection,
  span: LightSpan<LightSensor>,
): Promise<ReadonlyMap<number, "stuck" | "dead">> {
  const { sensors } = span;
  if (sensors.length === 0) return new Map();
  await makeRule(connection);
  const rows = await connection.rows(light_find, {
    ...listsOf(span),
    altitudes: sensors.map(({ altitude }) => altitude),
    quantities: sensors.map(({ measure }) => measure),
  });
  return new Map(rows.map(({ sensor_no, state }) => [sensor_no, state]));
}

const light_run_find = statement({
  sql: light_run_sql,
  parameters: of_lights,
  row: { sensor_no: "int32", first_minute: "int32", moved: "bool" },
});

/** Since which minute a sensor shows one value; not `moved`: that is as far as was looked. */
export type LightRun = PlainRow<typeof light_run_find.row>;

/** Since when sensors show what they show last, near 0 always the same. */
export async function findLightRuns(
  connection: Connection,
  span: LightSpan<Omit<LightSensor, "altitude" | "measure">>,
): Promise<LightRun[]> {
  await makeRule(connection);
  return await connection.rows(light_run_find, listsOf(span));
}

async function makeRule(connection: Connection): Promise<void> {
  for (const macro of light_macros) await connection.run(macro);
}

function listsOf(
  { sensors, from_minute }: LightSpan<Omit<LightSensor, "altitude" | "measure">>,
) {
  return {
    sensors: sensors.map((it) => it.sensor_no),
    tags: sensors.map((it) => it.tag_no),
    scales: sensors.map((it) => it.scale),
    offsets: sensors.map((it) => it.offset),
    from_minute,
  };
}
