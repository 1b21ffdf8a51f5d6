// Reads the whole plant hierarchy and every tag into the model's nouns, once, at start.
import {
  type Block,
  block_table,
  type Device,
  device_model_table,
  device_table,
  type DeviceModel,
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
};

/** Reads every row of the hierarchy's tables. */
export async function readPlant(connection: Connection): Promise<Plant> {
  return {
    organizations: await connection.rows(list_organizations),
    projects: await connection.rows(list_projects),
    sites: await connection.rows(list_sites),
    blocks: await connection.rows(list_blocks),
    device_models: await connection.rows(list_device_models),
    devices: await connection.rows(list_devices),
    tags: await connection.rows(list_tags),
    sensors: await connection.rows(list_sensors),
  };
}

const list_organizations = statement({
  sql: "SELECT {row} FROM organization ORDER BY key",
  row: organization_table,
});

const list_projects = statement({
  sql: "SELECT {row} FROM project ORDER BY project_no",
  row: project_table,
});

const list_sites = statement({
  sql: "SELECT {row} FROM site ORDER BY site_no",
  row: site_table,
});

const list_blocks = statement({
  sql: "SELECT {row} FROM block ORDER BY site_no, key",
  row: block_table,
});

const list_device_models = statement({
  sql: "SELECT {row} FROM device_model ORDER BY site_no, key",
  row: device_model_table,
});

const list_devices = statement({
  sql: "SELECT {row} FROM device ORDER BY site_no, key",
  row: device_table,
});

const list_tags = statement({
  sql: "SELECT {row} FROM tag ORDER BY tag_no",
  row: tag_table,
});

const list_sensors = statement({
  sql: "SELECT {row} FROM sensor ORDER BY sensor_no",
  row: sensor_table,
});
