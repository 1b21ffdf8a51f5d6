// The plant as the roll-up works with it: its tags and sensors, and what its values hang on.
import amount_make from "./amount_make.sql" with { type: "text" };
import curb_empty from "./curb_empty.sql" with { type: "text" };
import day_make from "./day_make.sql" with { type: "text" };
import expected_make from "./expected_make.sql" with { type: "text" };
import feed_make from "./feed_make.sql" with { type: "text" };
import held_make from "./held_make.sql" with { type: "text" };
import kind_list from "./kind_list.sql" with { type: "text" };
import lane_make from "./lane_make.sql" with { type: "text" };
import model_empty from "./model_empty.sql" with { type: "text" };
import place_list from "./place_list.sql" with { type: "text" };
import plant_hash from "./plant_hash.sql" with { type: "text" };
import sensor_make from "./sensor_make.sql" with { type: "text" };
import tag_make from "./tag_make.sql" with { type: "text" };
import type { Connection } from "../connection.ts";
import { type ModelPlan, putModelPlan } from "../expected/plan.ts";
import { type Plant, readPlant } from "../plant/plant.ts";
import { makeSources } from "./setpoint.ts";

/** What a plant has need of: most of the work is left out where nothing does. */
export type PlantKind = {
  /** Something is worked out outside SQL. */
  readonly has_jobs: boolean;
  readonly has_models: boolean;
  /** Some setpoint reaches a power that has a model. */
  readonly has_setpoints: boolean;
};

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
  readonly kind: PlantKind;
  readonly places: readonly RollPlace[];
};

/** How a plant is read: for how long models are carried, and how expected power comes about. */
export type PlantReading = {
  readonly model_carry_s: number;
  readonly planModels: (plant: Plant) => ModelPlan;
  /** How it was when this session read it last. */
  readonly known: RollPlant | undefined;
};

/** Reads how the plant stands now, if it changed since the last time. */
export async function readRollPlant(
  connection: Connection,
  { model_carry_s, planModels, known }: PlantReading,
): Promise<RollPlant> {
  const [{ hash }] = await connection.rows<{ hash: string }>(plant_hash);
  if (known?.hash === hash) return known;
  for (const empty of [...amounts, model_empty, curb_empty]) await connection.run(empty);
  await putModelPlan(connection, planModels(await readPlant(connection)));
  await connection.run(sensor_make);
  await makeSources(connection);
  for (const make of [feed_make, lane_make]) await connection.run(make);
  await connection.run(tag_make, { model_carry_s });
  const [kind] = await connection.rows<PlantKind>(kind_list);
  return { hash, kind, places: await connection.rows<RollPlace>(place_list) };
}

const amounts = [amount_make, expected_make, held_make] as const;

/** Empties what a piece of work is put into. */
export async function clearWork(connection: Connection, kind: PlantKind): Promise<void> {
  if (kind.has_jobs) { for (const empty of amounts) await connection.run(empty); }
  await connection.run(day_make);
}
