// The plant as the roll-up works with it: its tags and sensors, and what its values depend on.
import feed_make_sql from "./feed_make.sql" with { type: "text" };
import lane_make_sql from "./lane_make.sql" with { type: "text" };
import need_find_sql from "./need_find.sql" with { type: "text" };
import plant_hash_sql from "./plant_hash.sql" with { type: "text" };
import seal_make_sql from "./seal_make.sql" with { type: "text" };
import sensor_make_sql from "./sensor_make.sql" with { type: "text" };
import tag_make_sql from "./tag_make.sql" with { type: "text" };
import { retention_limits } from "../../model/retention/limits.ts";
import { oneOf } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { clearEvents } from "../counters/event.ts";
import { clearLent } from "../expected/lent.ts";
import { type ModelPlan, putModelPlan } from "../expected/plan.ts";
import { type Plant, readPlant } from "../plant/plant.ts";
import { clearCurbs, makeSources } from "./setpoint.ts";
import { statement } from "../statement.ts";

/** What a plant may have need of: most of the work is left out where nothing does. */
const needs = [
  /** Something is computed outside SQL. */
  "has_jobs",
  /** Something is a counter, or events of one are stored. */
  "has_counters",
  "has_models",
  /** Some setpoint reaches a power that has a model. */
  "has_setpoints",
  /** Some counter has a model. */
  "has_spans",
  /** Some site has weather of another, or expected values that stand on such are stored. */
  "has_fallbacks",
  /** Something is no longer kept, and what was computed from it stays as it is. */
  "has_seals",
] as const;
type Need = typeof needs[number];
export type PlantNeeds = Readonly<Record<Need, boolean>>;

/** A site's place, or as site 0 its project's zone alone. */
export type RollPlace = {
  readonly project_no: number;
  readonly site_no: number;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly timezone: string;
};

/** The plant as it lies in a session's temporary tables; `hash` tells whether it changed since. */
export type RollPlant = {
  readonly hash: string;
  readonly kind: PlantNeeds;
  readonly places: readonly RollPlace[];
};

/** How a plant is read: for how long models are carried, and how expected power comes about. */
export type PlantReading = {
  readonly model_carry_s: number;
  readonly planModels: (plant: Plant) => ModelPlan;
  /** How it was when this session read it last. */
  readonly known: RollPlant | undefined;
};

const feed_make = statement({ sql: feed_make_sql });

const need_find = statement({ sql: need_find_sql, row: { need: oneOf(needs) } });

const lane_make = statement({ sql: lane_make_sql });

/** An empty list of expected values, and of what is clipped beside them. */
const model_empty = statement({
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_model (
      sensor_no INTEGER, minute INTEGER, model DOUBLE, clipped DOUBLE, storage DOUBLE
    )`,
});

/** Every site's place and zone, and as site 0 every project's zone. */
const place_list = statement({
  sql: `
    SELECT p.project_no, s.site_no, s.latitude, s.longitude, p.timezone
    FROM site AS s
    JOIN project AS p USING (project_no)
    UNION ALL
    SELECT project_no, 0, NULL, NULL, timezone
    FROM project
    ORDER BY project_no, site_no`,
  row: {
    project_no: "int32",
    site_no: "int32",
    latitude: "float64?",
    longitude: "float64?",
    timezone: "text",
  },
});

const plant_hash = statement({
  sql: plant_hash_sql,
  row: { hash: "text" },
});

const seal_make = statement({ sql: seal_make_sql, parameters: { seal_days: "int32" } });

const sensor_make = statement({ sql: sensor_make_sql });

const tag_make = statement({
  sql: tag_make_sql,
  parameters: { model_carry_s: "int32" },
});

/** Reads how the plant stands now, if it changed since the last time. */
export async function readRollPlant(
  connection: Connection,
  { model_carry_s, planModels, known }: PlantReading,
): Promise<RollPlant> {
  const [{ hash }] = await connection.rows(plant_hash);
  if (known?.hash === hash) return known;
  for (const empty of [...amounts, model_empty]) await connection.run(empty);
  await clearEvents(connection);
  await clearLent(connection);
  await clearCurbs(connection);
  await putModelPlan(connection, planModels(await readPlant(connection)));
  await connection.run(sensor_make);
  await makeSources(connection);
  for (const make of [feed_make, lane_make]) await connection.run(make);
  await connection.run(tag_make, { model_carry_s });
  await connection.run(seal_make, { seal_days: retention_limits.seal_days });
  return { hash, kind: await findNeeds(connection), places: await connection.rows(place_list) };
}

async function findNeeds(connection: Connection): Promise<PlantNeeds> {
  const found = new Set((await connection.rows(need_find)).map(({ need }) => need));
  return Object.fromEntries(needs.map((need) => [need, found.has(need)])) as Record<Need, boolean>;
}

/**
 * An empty list of measured minute values that are computed outside SQL; of a counter with the
 * first and the last minute that the differences reach which a minute's value comes from.
 */
const amount_make = statement({
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_amount (
      sensor_no INTEGER, minute INTEGER, value DOUBLE, span_from INTEGER, span_to INTEGER
    )`,
});

/** An empty list of minute values of models that are computed outside SQL. */
const expected_make = statement({
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_expected (
      sensor_no INTEGER, minute INTEGER, value DOUBLE
    )`,
});

/** An empty list of minute values of active setpoints. */
const held_make = statement({
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_held (
      sensor_no INTEGER, minute INTEGER, value DOUBLE
    )`,
});

const amounts = [amount_make, expected_make, held_make] as const;

/**
 * An empty list of quarter-hours with their local day, the mask of their daylight minutes, and how
 * many degrees high the sun stands in their middle.
 */
export const day_make = statement({
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_day (
      project_no INTEGER, site_no INTEGER, quarter INTEGER, day INTEGER, light INTEGER,
      altitude INTEGER
    )`,
});

/** Empties what a piece of work is put into. */
export async function clearWork(connection: Connection, kind: PlantNeeds): Promise<void> {
  if (kind.has_jobs) { for (const empty of amounts) await connection.run(empty); }
  if (kind.has_counters) await clearEvents(connection);
  if (kind.has_fallbacks) await clearLent(connection);
  await connection.run(day_make);
}
