// A site file from the rows of a site: what is stored, written as a person would.
import { rollup_limits } from "../../model/rollup/limits.ts";
import type { Block, Device, DeviceModel, Sensor, Site, Tag } from "../../model/plant/plant.ts";
import { isNumeric } from "../../model/plant/measure.ts";
import { shortDerived } from "../../model/derived/derived.ts";
import { parseRule, shortRule } from "../../model/rules/entry.ts";
import { parseSource, shortSource } from "../../model/sources/form.ts";
import type { SiteInput } from "../../model/site/file.ts";
import type { SiteState } from "../../store/site/site.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { fallbackEntries } from "./fallback.ts";

/**
 * The shortest site file that declares `site` as it is: defaults are left out. Applying it changes
 * nothing.
 */
export function declaredSite({ plant, owners, rules, resets }: SiteState, site: Site): SiteInput {
  const { site_no, project_no } = site;
  const project = plant.projects.find((it) => it.project_no === project_no)!;
  const organization = plant.organizations.find((it) => it.id === project.organization_id)!;
  const blocks = plant.blocks.filter((it) => it.site_no === site_no);
  const device_models = plant.device_models.filter((it) => it.site_no === site_no);
  const devices = plant.devices.filter((it) => it.site_no === site_no);
  const tags = plant.tags.filter((it) => owners.get(it.tag_no) === site_no);
  const sensors = plant.sensors.filter((it) => it.site_no === site_no);
  const words = wordsOf({ blocks, devices, tags, sensors });
  const placeOf = placesOf(devices);
  return {
    version: 1,
    organization: { key: organization.key, name: organization.name },
    project: defined({
      key: project.key,
      name: project.name,
      portfolio: project.portfolio,
      timezone: project.timezone,
    }),
    site: {
      key: site.key,
      name: site.name,
      latitude: site.latitude,
      longitude: site.longitude,
    },
    blocks: blocks.map(({ key, name }) => defined({ key, name: unless(name, key) })),
    device_models: device_models.map(modelEntry),
    devices: devices.map((device) => deviceEntry(device, words)),
    tags: tags.toSorted((a, b) => placeOf(a.device_key) - placeOf(b.device_key))
      .map((tag) => tagEntry(tag, words)).filter((entry) => entry !== undefined),
    sensors: sensors.toSorted((a, b) => placeOf(a.device_id) - placeOf(b.device_id))
      .map((sensor) => sensorEntry(sensor, words)),
    fallbacks: fallbackEntries(plant, site_no),
    retention: plant.keep_rules.filter((it) => it.site_no === site_no)
      .map(({ id: _id, site_no: _site_no, place: _place, ...rule }) => defined(rule)),
    counter_resets: resets.filter((it) => it.site_no === site_no)
      .map(({ tag_no, at_us, last_value, first_value }) => (
        { tag: words.tag_names.get(tag_no)!, at: instantText(at_us), last_value, first_value }
      )),
    rules: rules.filter((it) =>
      it.site_no === site_no && it.origin === "site_file" && it.valid_to === null
    ).map(({ definition }) => shortRule(parseRule(definition))),
    sources: plant.sources.filter((it) => it.site_no === site_no && it.origin === "site_file")
      .map(({ definition }) => shortSource(parseSource(definition))),
  };
}

/** The place of a device, by its key or its id; what is of none stands behind what is of one. */
function placesOf(devices: readonly Device[]): (device: string | null) => number {
  const places = new Map(devices.flatMap(({ key, id }, i) => [[key, i], [id, i]] as const));
  return (device) => places.get(device ?? "") ?? devices.length;
}

type ModelEntry = NonNullable<SiteInput["device_models"]>[number];
type DeviceEntry = NonNullable<SiteInput["devices"]>[number];
type TagEntry = NonNullable<SiteInput["tags"]>[number];
type SensorEntry = NonNullable<SiteInput["sensors"]>[number];

type Rows = {
  readonly blocks: readonly Block[];
  readonly devices: readonly Device[];
  readonly tags: readonly Tag[];
  readonly sensors: readonly Sensor[];
};

function wordsOf({ blocks, devices, tags, sensors }: Rows) {
  return {
    block_keys: new Map(blocks.map((block) => [block.id, block.key])),
    devices: new Map(devices.map((device) => [device.id, device])),
    tag_names: new Map(tags.map((tag) => [tag.tag_no, tag.sensor_tag])),
    direct: new Map(sensors.filter((it) => it.direct).map((sensor) => [sensor.tag_no, sensor])),
    events: new Map(devices.map((device) => [device.event_tag, device])),
    numeric: new Set(
      sensors.filter(({ measure }) => isNumeric(measure)).map(({ tag_no }) => tag_no),
    ),
  };
}

type Words = ReturnType<typeof wordsOf>;

function modelEntry({ key, pv, status, events, points }: DeviceModel): ModelEntry {
  return defined({
    key,
    pv: parsed(pv),
    status: parsed(status),
    events: parsed(events),
    points: parsed(points),
  });
}

function deviceEntry(device: Device, { block_keys, devices }: Words): DeviceEntry {
  const parent = devices.get(device.parent_device_id ?? "");
  return defined({
    key: device.key,
    name: unless(device.name, device.key),
    type: device.type as DeviceEntry["type"],
    block: block_keys.get(unless(device.block_id, parent?.block_id) ?? ""),
    parent: parent?.key,
    device_model: device.device_model,
    event_tag: device.event_tag,
    pv: parsed(device.pv),
    grid: parsed(device.grid),
  });
}

/** Undefined for a tag of which its sensors, or the device whose event word it is, say all. */
function tagEntry(tag: Tag, { devices, direct, events, numeric }: Words): TagEntry | undefined {
  const sensor = direct.get(tag.tag_no);
  const word = events.get(tag.sensor_tag);
  const device = devices.get(sensor?.device_id ?? "") ?? word;
  const entry = defined({
    name: tag.sensor_tag,
    class: tag.tag_class,
    // Texts from before the tag was mapped: the first number decides.
    encoding: tag.derived === null
      ? unless(tag.encoding, word ? "integer" : numeric.has(tag.tag_no) && "string")
      : null,
    unit: tag.unit,
    carry_s: unless(tag.carry_s, rollup_limits.carry_s),
    derived: tag.derived === null ? null : shortDerived(tag.derived),
    device_key: unless(tag.device_key, device?.key),
    device_name: unless(tag.device_name, device?.name),
  });
  return (sensor || word) && Object.keys(entry).length === 1 ? undefined : entry;
}

function sensorEntry(sensor: Sensor, { block_keys, devices, tag_names }: Words): SensorEntry {
  const device = devices.get(sensor.device_id ?? "");
  return defined({
    tag: tag_names.get(sensor.tag_no)!,
    device: device?.key,
    component: unless(sensor.component, device?.type),
    measure: sensor.measure,
    scale: unless(sensor.scale, 1),
    offset: unless(sensor.offset, 0),
    capacity: sensor.capacity,
    accumulation: unless(sensor.accumulation, "none"),
    interval_s: sensor.interval_s,
    interval_at: unless(sensor.interval_at, "start"),
    register_bits: sensor.register_bits,
    register_modulus: sensor.register_modulus,
    sentinel_tag: unless(sensor.sentinel_tag, "default"),
    block: block_keys.get(unless(sensor.block_id, device?.block_id) ?? ""),
  });
}

/** What the JSON of a stored table says. */
function parsed<T>(text: string | null): T | null {
  return text === null ? null : JSON.parse(text) as T;
}

/** `value`, or undefined where it is the usual one. */
function unless<T>(value: T, usual: unknown): T | undefined {
  return value === usual ? undefined : value;
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], null> };

/** The fields that have a value. */
function defined<T extends object>(fields: T): Defined<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(kept) as Defined<T>;
}
