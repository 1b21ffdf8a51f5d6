// Stores what a site file declares: rows of the hierarchy, and which site's file declares a tag.
import site_days_delete_sql from "./site_days_delete.sql" with { type: "text" };
import type { CounterReset } from "../../model/counters/reset.ts";
import type { PlainRow } from "../../model/data/row.ts";
import {
  block_table,
  device_model_table,
  device_table,
  fallback_table,
  organization_table,
  project_table,
  sensor_table,
  site_table,
  tag_table,
} from "../../model/plant/plant.ts";
import { keep_rule_table } from "../../model/retention/keep.ts";
import { retention_limits } from "../../model/retention/limits.ts";
import { type Source, source_table } from "../../model/sources/source.ts";
import type { Connection } from "../connection.ts";
import { listResets, reset_table } from "../counters/reset.ts";
import { type Plant, readPlant } from "../plant/plant.ts";
import { readRules, type RuleRow } from "../rules/rule.ts";
import { statement } from "../statement.ts";
import { appendRows, databaseTypeOf, type Table, table } from "../table.ts";

/** Each kind of row of the hierarchy: its table, which has the same name. */
export const plant_tables = {
  organization: table("organization", organization_table),
  project: table("project", project_table),
  site: table("site", site_table),
  block: table("block", block_table),
  device_model: table("device_model", device_model_table),
  device: table("device", device_table),
  tag: table("tag", tag_table),
  sensor: table("sensor", sensor_table),
  counter_reset: reset_table,
  fallback: table("fallback", fallback_table),
  keep_rule: table("keep_rule", keep_rule_table),
  source: table("source", source_table),
} as const;

/** A kind of row of the hierarchy. */
export type PlantKind = keyof typeof plant_tables;

/** Rows of the hierarchy by their kind. */
export type PlantRows = {
  readonly [Kind in PlantKind]: readonly PlainRow<typeof plant_tables[Kind]["columns"]>[];
};

/** The column that tells the rows of each kind apart. */
export const plant_keys = {
  organization: "id",
  project: "project_no",
  site: "site_no",
  block: "id",
  device_model: "id",
  device: "id",
  tag: "tag_no",
  sensor: "sensor_no",
  counter_reset: "id",
  fallback: "id",
  keep_rule: "id",
  source: "id",
} as const satisfies { readonly [Kind in PlantKind]: keyof PlantRows[Kind][number] };

/** Everything that site files declare. */
export type SiteState = {
  readonly plant: Plant;
  /** The number of the site whose file declares a tag, by the tag's number. */
  readonly owners: ReadonlyMap<number, number>;
  /** The newest version of every rule, removed ones too. */
  readonly rules: readonly RuleRow[];
  /** Every declared reset of a counter. */
  readonly resets: readonly CounterReset[];
};

/** Every kind, owners before what they own. */
export const plant_kinds = Object.keys(plant_tables) as readonly PlantKind[];

const owner_table = table("site_tag", { site_no: "int32", tag_no: "int32" });

const owners_list = statement({
  sql: "SELECT tag_no, site_no FROM site_tag ORDER BY tag_no",
  row: { tag_no: "int32", site_no: "int32" },
});

/** The plant and its declarations, on one connection. */
export async function readSiteState(connection: Connection): Promise<SiteState> {
  const owners = await connection.rows(owners_list);
  return {
    plant: await readPlant(connection),
    owners: new Map(owners.map(({ tag_no, site_no }) => [tag_no, site_no])),
    rules: await readRules(connection),
    resets: await listResets(connection),
  };
}

/** Stores rows, each in place of the one of the same identity. */
export async function putRows(connection: Connection, rows: PlantRows): Promise<void> {
  await removeRows(connection, rows);
  for (const kind of plant_kinds) {
    await appendRows(connection, plant_tables[kind] as Table, rows[kind]);
  }
}

/** Deletes rows of a kind by their keys. */
const deletions = plant_kinds.map((kind) => {
  const key = plant_keys[kind];
  const type = (plant_tables[kind] as Table).columns[key];
  return {
    kind,
    remove: statement({
      sql: "DELETE FROM {table} WHERE {key} IN (SELECT unnest($keys::{type}[]))",
      parameters: { keys: type === "text" ? "text[]" : "int32[]" },
      names: { table: kind, key, type: databaseTypeOf(type) },
    }),
  };
});

/** Removes rows by their identity. */
export async function removeRows(connection: Connection, rows: PlantRows): Promise<void> {
  for (const { kind, remove } of deletions) {
    if (rows[kind].length === 0) continue;
    const gone = rows[kind].map((row) =>
      (row as Record<string, string | number>)[plant_keys[kind]]
    );
    await connection.run(remove, { keys: gone as string[] });
  }
}

/** Stores sources, each in place of the one of the same identity. */
export async function putSources(
  connection: Connection,
  sources: readonly Source[],
): Promise<void> {
  await removeSources(connection, sources);
  await appendRows(connection, plant_tables.source, sources);
}

/** Removes sources by their identity. */
export async function removeSources(
  connection: Connection,
  sources: readonly Source[],
): Promise<void> {
  const { remove } = deletions.find(({ kind }) => kind === "source")!;
  await connection.run(remove, { keys: sources.map(({ id }) => id) });
}

/** Records that a site's file declares `tag_nos`; none any more with `site_no` null. */
export async function ownTags(
  connection: Connection,
  { site_no, tag_nos }: { readonly site_no: number | null; readonly tag_nos: readonly number[] },
): Promise<void> {
  if (tag_nos.length === 0) return;
  await connection.run(owners_delete, { tag_nos });
  if (site_no === null) return;
  await appendRows(connection, owner_table, tag_nos.map((tag_no) => ({ site_no, tag_no })));
}

const owners_delete = statement({
  sql: "DELETE FROM site_tag WHERE tag_no IN (SELECT unnest($tag_nos::INTEGER[]))",
  parameters: { tag_nos: "int32[]" },
});

/** Those of some tags that hold samples or forecasts. */
const with_data_find = statement({
  reach: "all",
  sql: `
    SELECT DISTINCT held.tag_no
    FROM (SELECT tag_no FROM sample UNION ALL SELECT tag_no FROM forecast) AS held
    WHERE held.tag_no IN (SELECT unnest($tag_nos::INTEGER[]))
    ORDER BY held.tag_no`,
  parameters: { tag_nos: "int32[]" },
  row: { tag_no: "int32" },
});

/** Those of `tag_nos` that hold samples or forecasts. */
export async function tagsWithData(
  connection: Connection,
  tag_nos: readonly number[],
): Promise<ReadonlySet<number>> {
  if (tag_nos.length === 0) return new Set();
  const rows = await connection.rows(with_data_find, { tag_nos });
  return new Set(rows.map((row) => row.tag_no));
}

const site_days_delete = statement({
  sql: site_days_delete_sql,
  parameters: { site_nos: "int32[]", seal_days: "int32" },
});

/** Removes what was computed by the sun and the wall clock that sites had. */
export async function forgetDays(
  connection: Connection,
  site_nos: readonly number[],
): Promise<void> {
  if (site_nos.length === 0) return;
  const { seal_days } = retention_limits;
  await connection.run(site_days_delete, { site_nos, seal_days });
}

/** Deletes what a table that is rolled up holds of sensors. */
function deleteOfSensors(table: string) {
  return statement({
    sql: "DELETE FROM {table} WHERE sensor_no IN (SELECT unnest($sensor_nos::INTEGER[]))",
    parameters: { sensor_nos: "int32[]" },
    names: { table },
  });
}

/** Lets whole quarter-hours of tags be without readings. */
const unread = statement({
  sql: `
    UPDATE whole_quarter
    SET sensor_no = NULL, sensor_day = NULL, scale = NULL, "offset" = NULL, light = NULL
    WHERE sensor_no IN (SELECT unnest($sensor_nos::INTEGER[]))`,
  parameters: { sensor_nos: "int32[]" },
});

const delete_rolled_up = ["reading", "quarter", "daily", "counter_event", "lent_quarter"]
  .map(deleteOfSensors);

/** Removes what was rolled up of sensors; the samples of their tags stay. */
export async function dropReadings(
  connection: Connection,
  sensor_nos: readonly number[],
): Promise<void> {
  if (sensor_nos.length === 0) return;
  for (const remove of [...delete_rolled_up, unread]) await connection.run(remove, { sensor_nos });
}
