// Reads the whole plant hierarchy and every tag into the model's nouns, once, at start.
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
import type { Connection } from "../connection.ts";

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
    organizations: await connection.rows<Organization>(
      "SELECT id, key, name FROM organization ORDER BY key",
    ),
    projects: await connection.rows<Project>(
      "SELECT project_no, id, organization_id, key, name, portfolio, timezone " +
        "FROM project ORDER BY project_no",
    ),
    sites: await connection.rows<Site>(
      "SELECT site_no, id, project_no, key, name, latitude, longitude FROM site ORDER BY site_no",
    ),
    blocks: await connection.rows<Block>(
      "SELECT id, site_no, key, name FROM block ORDER BY site_no, key",
    ),
    device_models: await connection.rows<DeviceModel>(
      "SELECT id, site_no, key, pv, status, events, points FROM device_model " +
        "ORDER BY site_no, key",
    ),
    devices: await connection.rows<Device>(
      "SELECT id, site_no, key, name, type, parent_device_id, block_id, device_model, event_tag, " +
        "pv, grid FROM device ORDER BY site_no, key",
    ),
    tags: await connection.rows<Tag>(
      "SELECT tag_no, project_no, lane, sensor_tag, tag_class, encoding, unit, carry_s, " +
        "device_key, device_name, declared FROM tag ORDER BY tag_no",
    ),
    sensors: await connection.rows<Sensor>(
      "SELECT sensor_no, hierarchy_id, project_no, site_no, tag_no, device_id, block_id, " +
        'sentinel_tag, component, measure, scale, "offset", capacity, accumulation, interval_s, ' +
        "interval_at, register_bits, direct FROM sensor ORDER BY sensor_no",
    ),
  };
}
