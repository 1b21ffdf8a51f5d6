// Reads the whole plant hierarchy and every tag into the model's nouns, once, at start.
import {
  type Block,
  block_table,
  type Device,
  device_model_table,
  device_table,
  type DeviceModel,
  type Fallback,
  fallback_table,
  type Organization,
  organization_table,
  type Project,
  project_table,
  type Sensor,
  sensor_table,
  type Site,
  site_table,
  type Tag,
  tag_table,
} from "../../model/plant/plant.ts";
import {
  type Horizon,
  horizon_table,
  keep_rule_table,
  type KeepRule,
} from "../../model/retention/keep.ts";
import { type Source, source_table } from "../../model/sources/source.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";

/** Everything that the service keeps in memory of tenancy and hierarchy. */
export type Plant = {
  readonly organizations: readonly Organization[];
  readonly projects: readonly Project[];
  readonly sites: readonly Site[];
  readonly blocks: readonly Block[];
  readonly device_models: readonly DeviceModel[];
  readonly devices: readonly Device[];
  readonly tags: readonly Tag[];
  readonly sensors: readonly Sensor[];
  readonly fallbacks: readonly Fallback[];
  readonly keep_rules: readonly KeepRule[];
  readonly horizons: readonly Horizon[];
  readonly sources: readonly Source[];
};

/** Reads every row of the hierarchy's tables. */
export async function readPlant(connection: Connection): Promise<Plant> {
  return {
    organizations: await connection.rows(organizations_list),
    projects: await connection.rows(projects_list),
    sites: await connection.rows(sites_list),
    blocks: await connection.rows(blocks_list),
    device_models: await connection.rows(device_models_list),
    devices: await connection.rows(devices_list),
    tags: await connection.rows(tags_list),
    sensors: await connection.rows(sensors_list),
    fallbacks: await connection.rows(fallbacks_list),
    keep_rules: await connection.rows(keep_rules_list),
    horizons: await listHorizons(connection),
    sources: await connection.rows(sources_list),
  };
}

const organizations_list = statement({
  sql: "SELECT {row} FROM organization ORDER BY key",
  row: organization_table,
});

const projects_list = statement({
  sql: "SELECT {row} FROM project ORDER BY project_no",
  row: project_table,
});

const sites_list = statement({
  sql: "SELECT {row} FROM site ORDER BY site_no",
  row: site_table,
});

const blocks_list = statement({
  sql: "SELECT {row} FROM block ORDER BY site_no, key",
  row: block_table,
});

const device_models_list = statement({
  sql: "SELECT {row} FROM device_model ORDER BY site_no, key",
  row: device_model_table,
});

const devices_list = statement({
  sql: "SELECT {row} FROM device ORDER BY site_no, key",
  row: device_table,
});

const tags_list = statement({
  sql: "SELECT {row} FROM tag ORDER BY tag_no",
  row: tag_table,
});

const sensors_list = statement({
  sql: "SELECT {row} FROM sensor ORDER BY sensor_no",
  row: sensor_table,
});

const fallbacks_list = statement({
  sql: "SELECT {row} FROM fallback ORDER BY site_no, id",
  row: fallback_table,
});

const keep_rules_list = statement({
  sql: "SELECT {row} FROM keep_rule ORDER BY site_no, place",
  row: keep_rule_table,
});

const sources_list = statement({
  sql: "SELECT {row} FROM source ORDER BY site_no, key",
  row: source_table,
});

const horizons_list = statement({
  sql: "SELECT {row} FROM horizon ORDER BY tag_no",
  row: horizon_table,
});

/** What of each tag is gone. */
export function listHorizons(connection: Connection): Promise<Horizon[]> {
  return connection.rows(horizons_list);
}
