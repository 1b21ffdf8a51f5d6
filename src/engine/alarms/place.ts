// Which device a source's alarm is on, by its tag; and alarms whose tag was mapped after them.
import { alarm_limits } from "../../model/alarms/limits.ts";
import type { Occurrence } from "../../model/alarms/alarm.ts";
import {
  type AlarmPoint,
  type Device,
  type DeviceModel,
  modelOf,
} from "../../model/plant/plant.ts";
import { pointsOf } from "../../model/alarms/point.ts";
import { isIntegral } from "../../model/site/check.ts";
import { findUnmapped, listUnmapped, type SourceTag } from "../../store/alarms/unmapped.ts";
import type { Plant } from "../../store/plant/plant.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import type { Alarms } from "./alarm.ts";
import type { AlarmUnitOfWork } from "./unit_of_work.ts";
import type { Catalog } from "../catalog/catalog.ts";

/** What the plant says of a tag; a null device: the tag is not mapped, or sits under the root. */
type TagPlace = { readonly device: Device | null; readonly measure: string | null };

/** The part of a plant that places tags. */
type Mapping = Pick<Plant, "sites" | "devices" | "device_models" | "tags" | "sensors">;

const nowhere: TagPlace = { device: null, measure: null };

const known_places = new WeakMap<
  Catalog,
  { readonly version: number; readonly places: ReadonlyMap<string, TagPlace> }
>();

/** The place of a source's tag. */
export function placeOfTag(catalog: Catalog, source: SourceTag): TagPlace {
  const { version } = catalog;
  let known = known_places.get(catalog);
  if (known?.version !== version) {
    known = { version, places: placesOf(catalog) };
    known_places.set(catalog, known);
  }
  return known.places.get(keyOf(source.project_no, source.source_tag)) ?? nowhere;
}

/** The alarm point that `key` (`Error-17`) names on a device, if its device model lists it. */
export function pointOf(
  { device_models }: Pick<Mapping, "device_models">,
  { device, key }: { readonly device: Device | null; readonly key: string | null },
): AlarmPoint | undefined {
  const number = key === null ? undefined : /^Error-(\d{1,9})$/.exec(key)?.[1];
  const model = device === null ? undefined : modelOf(device, device_models);
  if (number === undefined || model === undefined) return undefined;
  let points = known_points.get(model);
  if (points === undefined) known_points.set(model, points = pointsOf(model));
  return points.get(Number(number));
}

const known_points = new WeakMap<DeviceModel, ReadonlyMap<number, AlarmPoint>>();

/** What alarms are mapped with. */
export type MapParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly alarms: Pick<Alarms, "write">;
};

/**
 * Puts every alarm whose tag is mapped by now on its device, with an event that says so: after the
 * plant has changed, and at the start, as a crash may have come between. An alarm point that had no
 * name but its key gets the one of the device model's list.
 */
export async function mapAlarms({ database, catalog, alarms }: MapParts): Promise<void> {
  const due = async (connection: Connection) => {
    const unmapped = await listUnmapped(connection);
    return unmapped.filter((tag) => placeOfTag(catalog, tag).device !== null);
  };
  if ((await database.read(due)).length === 0) return;
  // A transaction holds a bounded number of them, however many there are.
  const limit = alarm_limits.alarms_per_transaction;
  let mapped: number = limit;
  while (mapped === limit) {
    mapped = await alarms.write(async (changes) => {
      const { connection } = changes.write;
      const nos = await findUnmapped(connection, { tags: await due(connection), limit });
      await changes.load({ nos });
      for (const no of nos) mapOne(changes, changes.get(no)!, catalog);
      return nos.length;
    });
  }
}

function mapOne(changes: AlarmUnitOfWork, known: Occurrence, catalog: Catalog): void {
  const { device, measure } = placeOfTag(catalog, known);
  const { point_key, decoded_labels } = known;
  const point = pointOf(catalog, { device, key: point_key });
  const unnamed = point && decoded_labels.length === 1 && decoded_labels[0] === point_key;
  const device_id = device!.id;
  const occurrence: Occurrence = {
    ...known,
    device_id,
    measure: known.measure ?? measure,
    decoded_labels: unnamed ? [point.label] : decoded_labels,
    is_nerc: known.is_nerc || (point?.is_nerc ?? false),
    updated_at: known.updated_at + 1,
  };
  const created_at = changes.write.now_us;
  const event = { type: "device_mapped", kind: "system", created_at, detail: { device_id } };
  changes.change(occurrence, [event]);
}

/**
 * The places of all tags that are mapped: by their first direct sensor, else by device key or event
 * word.
 */
function placesOf(plant: Mapping): ReadonlyMap<string, TagPlace> {
  const direct = Map.groupBy(plant.sensors.filter((it) => it.direct), ({ tag_no }) => tag_no);
  const projects = new Map(plant.sites.map((site) => [site.site_no, site.project_no]));
  const devicesBy = (name: (device: Device) => string | null) =>
    new Map(
      plant.devices.filter((device) => name(device) !== null)
        .map((device) => [keyOf(projects.get(device.site_no)!, name(device)!), device]),
    );
  const by_id = new Map(plant.devices.map((device) => [device.id, device]));
  const by_key = devicesBy((device) => device.key);
  const by_word = devicesBy((device) => device.event_tag);
  const places = new Map<string, TagPlace>();
  for (const { tag_no, project_no, lane, sensor_tag, device_key, declared } of plant.tags) {
    if (lane !== "signal") continue;
    const [sensor] = direct.get(tag_no) ?? [];
    if (!sensor && device_key === null && !declared) continue;
    const device = sensor
      ? by_id.get(sensor.device_id ?? "")
      : by_key.get(keyOf(project_no, device_key ?? "")) ??
        by_word.get(keyOf(project_no, sensor_tag));
    const measure = sensor && !isIntegral(sensor) ? sensor.measure : null;
    places.set(keyOf(project_no, sensor_tag), { device: device ?? null, measure });
  }
  return places;
}

function keyOf(project_no: number, name: string): string {
  return `${project_no}\n${name}`;
}
