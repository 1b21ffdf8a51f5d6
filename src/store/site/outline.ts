// Copies of a plant's outline, by which others than its own database read old samples.
import type { Connection } from "../connection.ts";
import { type Plant, readPlant } from "../plant/plant.ts";
import { horizons } from "../retention/drop.ts";
import { appendRows } from "../table.ts";
import { type PlantRows, putRows } from "./site.ts";

/** All of a plant but how it is read: that holds secrets, and says nothing of what was. */
export type Outline = Omit<Plant, "sources">;

/** The outline as it is stored now. */
export async function readOutline(connection: Connection): Promise<Outline> {
  const { sources: _, ...outline } = await readPlant(connection);
  return outline;
}

/** Puts an outline into a database that has none. */
export async function putOutline(connection: Connection, outline: Outline): Promise<void> {
  const rows: PlantRows = {
    ...{ organization: outline.organizations, project: outline.projects, site: outline.sites },
    ...{ block: outline.blocks, device_model: outline.device_models, device: outline.devices },
    ...{ tag: outline.tags, sensor: outline.sensors, fallback: outline.fallbacks },
    ...{ keep_rule: outline.keep_rules, counter_reset: [], source: [] },
  };
  await putRows(connection, rows);
  await appendRows(connection, horizons, outline.horizons);
}
