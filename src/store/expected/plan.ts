// The plan of expected power as the temporary tables that the roll-up's session works with.
import { oneOf, type PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { appendRows, type WorkTable, workTable } from "../table.ts";

/** What weather sensors measure. */
const quantities = ["poa", "ghi", "dni", "dhi", "ambient", "module", "wind"] as const;
export type Quantity = typeof quantities[number];

/** Sensors of the weather. A pool is a site's data stream; a block may be the rest of a site. */
const weather = workTable("roll_weather", {
  tag_no: "int32",
  sensor_no: "int32",
  project_no: "int32",
  site_no: "int32",
  pool_no: "int32",
  block_no: "int32",
  /** Which way it faces, for an irradiance in a plane: null where its site leaves that open. */
  facing_no: "int32?",
  quantity: oneOf(quantities),
  is_light: "bool",
  /** Another site's: it stands in where the pool's own tell nothing. */
  is_lent: "bool",
  scale: "float64",
  offset: "float64",
});
export type PlannedWeather = PlainRow<typeof weather.columns>;

/** Where inverters see the same weather; sensors that face another way give them no light. */
const areas = workTable("roll_area", {
  area_no: "int32",
  pool_no: "int32",
  block_no: "int32",
  /** Null where that is open. */
  facing_no: "int32?",
});
export type PlannedArea = PlainRow<typeof areas.columns>;

/** Planes of modules; `place` is JSON: latitude, longitude, mount (see model/expected/pv.ts). */
const planes = workTable("roll_plane", { plane_no: "int32", place: "text" });
export type PlannedPlane = PlainRow<typeof planes.columns>;

/** Inverters' efficiency curves as JSON: pairs of load and efficiency. */
const curves = workTable("roll_curve", { curve_no: "int32", curve: "text" });
export type PlannedCurve = PlainRow<typeof curves.columns>;

/** How warm the cells of inverters get that are mounted alike under the same weather. */
const cells = workTable("roll_cell", {
  cell_no: "int32",
  pool_no: "int32",
  area_no: "int32",
  plane_no: "int32?",
  albedo: "float64",
  /** Hay and Davies' sky; else an isotropic one. */
  hay: "bool",
  /** Of cell temperature, and its numbers in the order of model/expected/pv.ts. */
  model: "text",
  a: "float64",
  b: "float64",
  c: "float64",
  d: "float64",
});
export type PlannedCell = PlainRow<typeof cells.columns>;

/** The node of all inverters that are alike. */
const kinds = workTable("roll_kind", {
  node_no: "int32",
  cell_no: "int32",
  /** Null for PVWatts' curve. */
  curve_no: "int32?",
  rated_dc_w: "float64",
  rated_ac_w: "float64",
  gamma: "float64",
  losses: "float64",
  efficiency: "float64",
});
export type PlannedKind = PlainRow<typeof kinds.columns>;

/** Inverters' power sensors whose expected value is computed. */
const pv = workTable("roll_pv", {
  sensor_no: "int32",
  rated_dc_w: "float64",
  rated_ac_w: "float64",
});

/** Nodes of inverters whose site sends expected values: they win over computed ones. */
const stated = workTable("roll_stated", { sensor_no: "int32", node_no: "int32" });
export type PlannedStated = PlainRow<typeof stated.columns>;

/** Nodes that sum `parts` others, all of earlier stages; stages start at 1. */
const grid = workTable("roll_grid", {
  node_no: "int32",
  stage: "int32",
  parts: "int32",
  /** The most that it passes on, W. */
  limit_w: "float64?",
});
export type PlannedGrid = PlainRow<typeof grid.columns>;

/** What share of a node's power reaches a node that sums it. */
const shares = workTable("roll_share", { node_no: "int32", part_no: "int32", factor: "float64" });
export type PlannedShare = PlainRow<typeof shares.columns>;

/** The sensor of an inverter's power below what sums it, and the share that reaches that. */
const below = workTable("roll_below", { sensor_no: "int32", part_no: "int32", factor: "float64" });
export type PlannedBelow = PlainRow<typeof below.columns>;

/** Measured storage below a node that sums, one of `parts`, and the share that reaches it. */
const storage = workTable("roll_storage", {
  node_no: "int32",
  tag_no: "int32",
  scale: "float64",
  offset: "float64",
  factor: "float64",
  parts: "int32",
});
export type PlannedStorage = PlainRow<typeof storage.columns>;

/** A meter's setpoint that reaches some inverters, and the sensor of one's power; null for none. */
const reach = workTable("roll_reach", { sensor_no: "int32", part_no: "int32?" });
export type PlannedReach = PlainRow<typeof reach.columns>;

/** Sensors whose expected value is a node's times a factor: 1 for power, 1/60 for energy. */
const points = workTable("roll_point", {
  sensor_no: "int32",
  node_no: "int32",
  pool_no: "int32",
  factor: "float64",
});
export type PlannedPoint = PlainRow<typeof points.columns>;

const planned = {
  ...{ weather, areas, planes, curves, cells, kinds },
  ...{ pv, stated, grid, shares, below, storage, reach, points },
};

type Planned = { readonly [K in keyof typeof planned]: (typeof planned)[K]["columns"] };

/** How expected power comes about: pure data, made from the plant. */
export type ModelPlan = { readonly [K in keyof Planned]: readonly PlainRow<Planned[K]>[] };

/** Puts a plan in the place of the one before. */
export async function putModelPlan(connection: Connection, plan: ModelPlan): Promise<void> {
  for (const name of Object.keys(planned) as (keyof Planned)[]) await put(connection, plan, name);
}

async function put<K extends keyof Planned>(
  connection: Connection,
  plan: ModelPlan,
  name: K,
): Promise<void> {
  const tables: { readonly [N in keyof Planned]: WorkTable<Planned[N]> } = planned;
  await connection.run(tables[name].make);
  await appendRows(connection, tables[name], plan[name]);
}
