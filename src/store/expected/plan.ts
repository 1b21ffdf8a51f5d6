// The plan of expected power as the temporary tables that the roll-up's session works with.
import { type Chunk, noneValid, setValid, type Vector, wordsOf } from "../../model/data/chunk.ts";
import type { Connection } from "../connection.ts";

/** What weather sensors tell. */
export type Quantity = "poa" | "ghi" | "dni" | "dhi" | "ambient" | "module" | "wind";

/** A sensor of the weather. A pool is a site's data stream; a block may be the rest of a site. */
export type PlannedWeather = {
  readonly tag_no: number;
  readonly sensor_no: number;
  readonly project_no: number;
  readonly site_no: number;
  readonly pool_no: number;
  readonly block_no: number;
  /** Which way it faces, for an irradiance in a plane: null where its site leaves that open. */
  readonly facing_no: number | null;
  readonly quantity: Quantity;
  readonly scale: number;
  readonly offset: number;
};

/** Where inverters see the same weather; of sensors that face another way, theirs is no light. */
export type PlannedArea = {
  readonly area_no: number;
  readonly pool_no: number;
  readonly block_no: number;
  /** Null where that is open. */
  readonly facing_no: number | null;
};

/** A plane of modules; `place` is JSON: latitude, longitude, mount (see model/expected/pv.ts). */
export type PlannedPlane = { readonly plane_no: number; readonly place: string };

/** An inverter's efficiency curve as JSON: pairs of load and efficiency. */
export type PlannedCurve = { readonly curve_no: number; readonly curve: string };

/** How warm the cells of inverters get that stand alike under the same weather. */
export type PlannedCell = {
  readonly cell_no: number;
  readonly pool_no: number;
  readonly area_no: number;
  readonly plane_no: number | null;
  readonly albedo: number;
  /** Hay and Davies' sky; else an isotropic one. */
  readonly hay: boolean;
  /** Of cell temperature, and its numbers in the order of model/expected/pv.ts. */
  readonly model: string;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
};

/** The node of all inverters that are alike. */
export type PlannedKind = {
  readonly node_no: number;
  readonly cell_no: number;
  /** Null for PVWatts' curve. */
  readonly curve_no: number | null;
  readonly rated_dc_w: number;
  readonly rated_ac_w: number;
  readonly gamma: number;
  readonly losses: number;
  readonly efficiency: number;
};

/** An inverter's sensor that stands for its power, where that is worked out. */
export type PlannedPv = {
  readonly sensor_no: number;
  readonly rated_dc_w: number;
  readonly rated_ac_w: number;
};

/** The node of an inverter whose site sends expected values: they win over computed ones. */
export type PlannedStated = { readonly sensor_no: number; readonly node_no: number };

/** A node that sums `parts` others, all of earlier stages; stages start at 1. */
export type PlannedGrid = {
  readonly node_no: number;
  readonly stage: number;
  readonly parts: number;
  /** The most that it passes on, W. */
  readonly limit_w: number | null;
};

/** What share of a node's power reaches a node that sums it. */
export type PlannedShare = {
  readonly node_no: number;
  readonly part_no: number;
  readonly factor: number;
};

/** What stands for an inverter's power below what sums it, and the share that reaches that. */
export type PlannedBelow = {
  readonly sensor_no: number;
  readonly part_no: number;
  readonly factor: number;
};

/** A sensor whose expected value is a node's times a factor: 1 for power, 1/60 for energy. */
export type PlannedPoint = {
  readonly sensor_no: number;
  readonly node_no: number;
  readonly pool_no: number;
  readonly factor: number;
};

/** How expected power comes about: pure data, made from the plant. Its tables are roll_<name>. */
export type ModelPlan = {
  readonly weather: readonly PlannedWeather[];
  readonly areas: readonly PlannedArea[];
  readonly planes: readonly PlannedPlane[];
  readonly curves: readonly PlannedCurve[];
  readonly cells: readonly PlannedCell[];
  readonly kinds: readonly PlannedKind[];
  readonly pv: readonly PlannedPv[];
  readonly stated: readonly PlannedStated[];
  readonly grid: readonly PlannedGrid[];
  readonly shares: readonly PlannedShare[];
  readonly below: readonly PlannedBelow[];
  readonly points: readonly PlannedPoint[];
};

/** Puts a plan in the place of the one before. */
export async function putModelPlan(connection: Connection, plan: ModelPlan): Promise<void> {
  for (const make of makes) await connection.run(make);
  for (const name of Object.keys(columns) as (keyof ModelPlan)[]) {
    await connection.append(tables[name], chunkOf(plan[name], columns[name]));
  }
}

const makes = [
  "CREATE OR REPLACE TEMP TABLE roll_weather (tag_no INTEGER, sensor_no INTEGER, " +
  "project_no INTEGER, site_no INTEGER, pool_no INTEGER, block_no INTEGER, facing_no INTEGER, " +
  'quantity VARCHAR, scale DOUBLE, "offset" DOUBLE)',
  "CREATE OR REPLACE TEMP TABLE roll_area (area_no INTEGER, pool_no INTEGER, block_no INTEGER, " +
  "facing_no INTEGER)",
  "CREATE OR REPLACE TEMP TABLE roll_plane (plane_no INTEGER, place VARCHAR)",
  "CREATE OR REPLACE TEMP TABLE roll_curve (curve_no INTEGER, curve VARCHAR)",
  "CREATE OR REPLACE TEMP TABLE roll_cell (cell_no INTEGER, pool_no INTEGER, area_no INTEGER, " +
  "plane_no INTEGER, albedo DOUBLE, hay BOOLEAN, model VARCHAR, a DOUBLE, b DOUBLE, c DOUBLE, " +
  "d DOUBLE)",
  "CREATE OR REPLACE TEMP TABLE roll_kind (node_no INTEGER, cell_no INTEGER, curve_no INTEGER, " +
  "rated_dc_w DOUBLE, rated_ac_w DOUBLE, gamma DOUBLE, losses DOUBLE, efficiency DOUBLE)",
  "CREATE OR REPLACE TEMP TABLE roll_pv (sensor_no INTEGER, rated_dc_w DOUBLE, rated_ac_w DOUBLE)",
  "CREATE OR REPLACE TEMP TABLE roll_stated (sensor_no INTEGER, node_no INTEGER)",
  "CREATE OR REPLACE TEMP TABLE roll_grid (node_no INTEGER, stage INTEGER, parts INTEGER, " +
  "limit_w DOUBLE)",
  "CREATE OR REPLACE TEMP TABLE roll_share (node_no INTEGER, part_no INTEGER, factor DOUBLE)",
  "CREATE OR REPLACE TEMP TABLE roll_below (sensor_no INTEGER, part_no INTEGER, factor DOUBLE)",
  "CREATE OR REPLACE TEMP TABLE roll_point (sensor_no INTEGER, node_no INTEGER, " +
  "pool_no INTEGER, factor DOUBLE)",
] as const;

const tables = {
  weather: "roll_weather",
  areas: "roll_area",
  planes: "roll_plane",
  curves: "roll_curve",
  cells: "roll_cell",
  kinds: "roll_kind",
  pv: "roll_pv",
  stated: "roll_stated",
  grid: "roll_grid",
  shares: "roll_share",
  below: "roll_below",
  points: "roll_point",
} as const satisfies Record<keyof ModelPlan, string>;

/** The columns of each table, in their order. */
const columns: { readonly [K in keyof ModelPlan]: readonly (keyof ModelPlan[K][number])[] } = {
  weather: [
    ...["tag_no", "sensor_no", "project_no", "site_no", "pool_no", "block_no"] as const,
    ...["facing_no", "quantity", "scale", "offset"] as const,
  ],
  areas: ["area_no", "pool_no", "block_no", "facing_no"],
  planes: ["plane_no", "place"],
  curves: ["curve_no", "curve"],
  cells: [
    ...["cell_no", "pool_no", "area_no", "plane_no", "albedo", "hay"] as const,
    ...["model", "a", "b", "c", "d"] as const,
  ],
  kinds: [
    ...["node_no", "cell_no", "curve_no"] as const,
    ...["rated_dc_w", "rated_ac_w", "gamma", "losses", "efficiency"] as const,
  ],
  pv: ["sensor_no", "rated_dc_w", "rated_ac_w"],
  stated: ["sensor_no", "node_no"],
  grid: ["node_no", "stage", "parts", "limit_w"],
  shares: ["node_no", "part_no", "factor"],
  below: ["sensor_no", "part_no", "factor"],
  points: ["sensor_no", "node_no", "pool_no", "factor"],
};

function chunkOf(
  rows: readonly Readonly<Record<string, unknown>>[],
  names: readonly string[],
): Chunk {
  return {
    rows: rows.length,
    vectors: names.map((name) => vectorOf(rows.map((row) => row[name]))),
  };
}

/** Only numbers can be null. */
function vectorOf(items: readonly unknown[]): Vector {
  if (typeof items[0] === "string") return { kind: "text", words: wordsOf(items as string[]) };
  if (typeof items[0] === "boolean") {
    return { kind: "bool", values: Uint8Array.from(items, Number) };
  }
  const valid = noneValid(items.length);
  items.forEach((item, i) => item !== null && setValid(valid, i));
  return { kind: "float64", values: Float64Array.from(items, Number), valid };
}
