// Stores what a site file declares: rows of the hierarchy, and which site's file declares a tag.
import type { FixedKind, Kind } from "../../model/data/kind.ts";
import { type Chunk, noneValid, setValid, type Vector, wordsOf } from "../../model/data/chunk.ts";
import type {
  Block,
  Device,
  DeviceModel,
  Organization,
  Project,
  Sensor,
  Site,
  Tag,
} from "../../model/plant/plant.ts";
import type { Connection, Plain } from "../connection.ts";
import { type Plant, readPlant } from "../plant/plant.ts";
import { readRules, type RuleRow } from "../rules/rule.ts";
import daily_delete from "./daily_delete.sql" with { type: "text" };
import data_find from "./data_find.sql" with { type: "text" };
import day_forget from "./day_forget.sql" with { type: "text" };
import quarter_delete from "./quarter_delete.sql" with { type: "text" };
import reading_delete from "./reading_delete.sql" with { type: "text" };
import owner_insert from "./tag_insert.sql" with { type: "text" };
import { arrayOf } from "../value.ts";

/** Rows of the hierarchy by their kind, which is also their table's name. */
export type PlantRows = {
  readonly organization: readonly Organization[];
  readonly project: readonly Project[];
  readonly site: readonly Site[];
  readonly block: readonly Block[];
  readonly device_model: readonly DeviceModel[];
  readonly device: readonly Device[];
  readonly tag: readonly Tag[];
  readonly sensor: readonly Sensor[];
};

/** A kind of row of the hierarchy. */
export type PlantKind = keyof PlantRows;

/** Everything that site files declare. */
export type SiteState = {
  readonly plant: Plant;
  /** The number of the site whose file declares a tag, by the tag's number. */
  readonly owners: ReadonlyMap<number, number>;
  /** The newest version of every rule, removed ones too. */
  readonly rules: readonly RuleRow[];
};

type Table<Row> = {
  readonly key: string & keyof Row;
  readonly remove: string;
  readonly columns: { readonly [Column in keyof Row]: Kind };
};

/** Each kind's identity, the statement that removes by it, and its columns in the table's order. */
export const plant_tables: { readonly [K in PlantKind]: Table<PlantRows[K][number]> } = {
  organization: {
    key: "id",
    remove: "DELETE FROM organization WHERE id IN (SELECT unnest($keys::VARCHAR[]))",
    columns: { id: "text", key: "text", name: "text" },
  },
  project: {
    key: "project_no",
    remove: "DELETE FROM project WHERE project_no IN (SELECT unnest($keys::INTEGER[]))",
    columns: {
      project_no: "int32",
      id: "text",
      organization_id: "text",
      key: "text",
      name: "text",
      portfolio: "text",
      timezone: "text",
    },
  },
  site: {
    key: "site_no",
    remove: "DELETE FROM site WHERE site_no IN (SELECT unnest($keys::INTEGER[]))",
    columns: {
      site_no: "int32",
      id: "text",
      project_no: "int32",
      key: "text",
      name: "text",
      latitude: "float64",
      longitude: "float64",
    },
  },
  block: {
    key: "id",
    remove: "DELETE FROM block WHERE id IN (SELECT unnest($keys::VARCHAR[]))",
    columns: { id: "text", site_no: "int32", key: "text", name: "text" },
  },
  device_model: {
    key: "id",
    remove: "DELETE FROM device_model WHERE id IN (SELECT unnest($keys::VARCHAR[]))",
    columns: {
      id: "text",
      site_no: "int32",
      key: "text",
      pv: "text",
      status: "text",
      events: "text",
      points: "text",
    },
  },
  device: {
    key: "id",
    remove: "DELETE FROM device WHERE id IN (SELECT unnest($keys::VARCHAR[]))",
    columns: {
      id: "text",
      site_no: "int32",
      key: "text",
      name: "text",
      type: "text",
      parent_device_id: "text",
      block_id: "text",
      device_model: "text",
      event_tag: "text",
      pv: "text",
      grid: "text",
    },
  },
  tag: {
    key: "tag_no",
    remove: "DELETE FROM tag WHERE tag_no IN (SELECT unnest($keys::INTEGER[]))",
    columns: {
      tag_no: "int32",
      project_no: "int32",
      lane: "text",
      sensor_tag: "text",
      tag_class: "text",
      encoding: "text",
      unit: "text",
      carry_s: "int32",
      device_key: "text",
      device_name: "text",
      declared: "bool",
    },
  },
  sensor: {
    key: "sensor_no",
    remove: "DELETE FROM sensor WHERE sensor_no IN (SELECT unnest($keys::INTEGER[]))",
    columns: {
      sensor_no: "int32",
      hierarchy_id: "text",
      project_no: "int32",
      site_no: "int32",
      tag_no: "int32",
      device_id: "text",
      block_id: "text",
      sentinel_tag: "text",
      component: "text",
      measure: "text",
      scale: "float64",
      offset: "float64",
      capacity: "float64",
      accumulation: "text",
      interval_s: "int32",
      interval_at: "text",
      register_bits: "int32",
      direct: "bool",
    },
  },
};

/** Every kind, owners before what they own. */
export const plant_kinds = Object.keys(plant_tables) as readonly PlantKind[];

/** The plant and its declarations, on one connection. */
export async function readSiteState(connection: Connection): Promise<SiteState> {
  const owners = await connection.rows<{ tag_no: number; site_no: number }>(
    "SELECT tag_no, site_no FROM site_tag ORDER BY tag_no",
  );
  return {
    plant: await readPlant(connection),
    owners: new Map(owners.map(({ tag_no, site_no }) => [tag_no, site_no])),
    rules: await readRules(connection),
  };
}

/** Stores rows, each in place of the one of the same identity. */
export async function putRows(connection: Connection, rows: PlantRows): Promise<void> {
  await removeRows(connection, rows);
  for (const kind of plant_kinds) {
    await connection.append(kind, chunkOf(plant_tables[kind].columns, rows[kind]));
  }
}

/** Removes rows by their identity. */
export async function removeRows(connection: Connection, rows: PlantRows): Promise<void> {
  for (const kind of plant_kinds) {
    if (rows[kind].length === 0) continue;
    const { key, remove } = plant_tables[kind];
    const keys = rows[kind].map((row) => (row as Record<string, Plain>)[key]);
    await connection.run(remove, { keys: keys as string[] | number[] });
  }
}

/** Records that a site's file declares `tag_nos`; none any more with `site_no` null. */
export async function ownTags(
  connection: Connection,
  { site_no, tag_nos }: { readonly site_no: number | null; readonly tag_nos: readonly number[] },
): Promise<void> {
  if (tag_nos.length === 0) return;
  const remove = "DELETE FROM site_tag WHERE tag_no IN (SELECT unnest($tag_nos::INTEGER[]))";
  await connection.run(remove, { tag_nos });
  if (site_no !== null) await connection.run(owner_insert, { site_no, tag_nos });
}

/** Those of `tag_nos` that hold samples or forecasts. */
export async function tagsWithData(
  connection: Connection,
  tag_nos: readonly number[],
): Promise<ReadonlySet<number>> {
  if (tag_nos.length === 0) return new Set();
  const rows = await connection.rows<{ tag_no: number }>(data_find, { tag_nos });
  return new Set(rows.map((row) => row.tag_no));
}

/** Removes what was worked out by the sun and the wall clock that sites had. */
export async function forgetDays(
  connection: Connection,
  site_nos: readonly number[],
): Promise<void> {
  if (site_nos.length === 0) return;
  await connection.run(day_forget, { site_nos });
}

/** Removes what was rolled up of sensors; the samples of their tags stay. */
export async function dropReadings(
  connection: Connection,
  sensor_nos: readonly number[],
): Promise<void> {
  if (sensor_nos.length === 0) return;
  for (const statement of [reading_delete, quarter_delete, daily_delete]) {
    await connection.run(statement, { sensor_nos });
  }
}

function chunkOf(columns: Readonly<Record<string, Kind>>, rows: readonly object[]): Chunk {
  const vectors = Object.entries(columns).map(([name, kind]) =>
    vectorOf(kind, rows.map((row) => (row as Record<string, Plain>)[name]))
  );
  return { rows: rows.length, vectors };
}

function vectorOf(kind: Kind, items: readonly Plain[]): Vector {
  const valid = noneValid(items.length);
  items.forEach((item, i) => item !== null && setValid(valid, i));
  if (kind === "text") {
    return { kind, words: wordsOf(items.map((item) => (item ?? "") as string)), valid };
  }
  const values = arrayOf(kind as Exclude<FixedKind, "int64" | "instant">, items.length);
  items.forEach((item, i) => values[i] = Number(item ?? 0));
  return { kind, values, valid } as Vector;
}
