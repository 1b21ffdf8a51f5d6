// A site file as rows of the plant, and the plant's rows as a site file.
import { rollup_limits } from "../../model/rollup/limits.ts";
import { pointsText } from "../../model/alarms/point.ts";
import { codesText } from "../../model/availability/state_code.ts";
import type { Block, Device, DeviceModel, Sensor, Site, Tag } from "../../model/plant/plant.ts";
import { gridText, pvText } from "../../model/expected/pv.ts";
import { parseRule, shortRule } from "../../model/rules/entry.ts";
import { definitionOf } from "../../model/rules/kinds.ts";
import { matchesOf } from "../../model/rules/match.ts";
import { isIntegral, rulePlace } from "../../model/site/check.ts";
import type { SiteFile, SiteInput } from "../../model/site/file.ts";
import type { PlantRows, SiteState } from "../../store/site/site.ts";
import { fallbackEntries, fallbackRows } from "./fallback.ts";

type FileSensor = SiteFile["sensors"][number];
type Numbers = { readonly project_no: number; readonly site_no: number };

/**
 * The rows that the plant has once `file` is applied: its own, and no other site's. Identifiers and
 * numbers of what exists are kept.
 */
export function wantedRows(
  { plant }: SiteState,
  file: SiteFile,
  { new_id }: { readonly new_id: () => string },
): PlantRows {
  const { organizations, projects, sites } = plant;
  const organization_id = organizations.find((it) => it.key === file.organization.key)?.id ??
    new_id();
  const project = projects.find((it) =>
    it.organization_id === organization_id && it.key === file.project.key
  );
  const project_no = project?.project_no ?? next(projects.map((it) => it.project_no));
  const site = sites.find((it) => it.key === file.site.key);
  const numbers = { project_no, site_no: site?.site_no ?? next(sites.map((it) => it.site_no)) };
  const block = blockRows(plant.blocks, { file, new_id, ...numbers });
  const device = deviceRows(plant.devices, { file, new_id, block, ...numbers });
  const tag = tagRows(plant.tags, { file, device, ...numbers });
  return {
    organization: [{ id: organization_id, ...file.organization }],
    project: [{
      portfolio: null,
      ...file.project,
      project_no,
      id: project?.id ?? new_id(),
      organization_id,
    }],
    site: [{ ...file.site, ...numbers, id: site?.id ?? new_id() }],
    block,
    device_model: modelRows(plant.device_models, { file, new_id, ...numbers }),
    device,
    tag,
    sensor: sensorRows(plant.sensors, { file, new_id, block, device, tag, ...numbers }),
    fallback: fallbackRows(plant, { file, new_id, ...numbers }),
  };
}

/**
 * The shortest site file that declares `site` as it is: defaults are left out. Applying it changes
 * nothing.
 */
export function declaredSite({ plant, owners, rules }: SiteState, site: Site): SiteInput {
  const { site_no, project_no } = site;
  const project = plant.projects.find((it) => it.project_no === project_no)!;
  const organization = plant.organizations.find((it) => it.id === project.organization_id)!;
  const blocks = plant.blocks.filter((it) => it.site_no === site_no);
  const device_models = plant.device_models.filter((it) => it.site_no === site_no);
  const devices = plant.devices.filter((it) => it.site_no === site_no);
  const tags = plant.tags.filter((it) => owners.get(it.tag_no) === site_no);
  const sensors = plant.sensors.filter((it) => it.site_no === site_no);
  const words = wordsOf({ blocks, devices, tags, sensors });
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
    tags: tags.map((tag) => tagEntry(tag, words)).filter((entry) => entry !== undefined),
    sensors: sensors.map((sensor) => sensorEntry(sensor, words)),
    fallbacks: fallbackEntries(plant, site_no),
    rules: rules.filter((it) =>
      it.site_no === site_no && it.origin === "site_file" && it.valid_to === null
    ).map(({ definition }) => shortRule(parseRule(definition))),
  };
}

/** What tells a sensor from every other of its project. */
function sensorIdentity(
  sensor: Pick<Sensor, "sentinel_tag" | "tag_no" | "device_id" | "component" | "measure">,
): string {
  const { sentinel_tag, tag_no, device_id, component, measure } = sensor;
  return JSON.stringify([sentinel_tag, tag_no, device_id, component, measure]);
}

/** For each tag its sensor that reads it directly: by content, whatever the order in the file. */
function directSensors(
  { devices, sensors }: Pick<SiteFile, "devices" | "sensors">,
): ReadonlyMap<string, FileSensor> {
  const types = new Map(devices.map((device) => [device.key, device.type]));
  const rank = (it: FileSensor) => {
    const component = it.component ?? types.get(it.device!);
    return JSON.stringify([isIntegral(it), it.sentinel_tag, it.measure, it.device, component]);
  };
  const direct = new Map<string, FileSensor>();
  for (const sensor of sensors) {
    const other = direct.get(sensor.tag);
    if (other === undefined || rank(sensor) < rank(other)) direct.set(sensor.tag, sensor);
  }
  return direct;
}

function next(numbers: readonly number[]): number {
  return numbers.reduce((most, number) => Math.max(most, number), 0) + 1;
}

type BlockInput = Numbers & { readonly file: SiteFile; readonly new_id: () => string };

function blockRows(known: readonly Block[], { file, new_id, site_no }: BlockInput): Block[] {
  const ids = new Map(
    known.filter((it) => it.site_no === site_no).map((block) => [block.key, block.id]),
  );
  return file.blocks.map(({ key, name }) => ({
    id: ids.get(key) ?? new_id(),
    site_no,
    key,
    name: name ?? key,
  }));
}

function modelRows(
  known: readonly DeviceModel[],
  { file, new_id, site_no }: BlockInput,
): DeviceModel[] {
  const ids = new Map(
    known.filter((it) => it.site_no === site_no).map((model) => [model.key, model.id]),
  );
  return file.device_models.map(({ key, pv, status, events, points }) => ({
    id: ids.get(key) ?? new_id(),
    site_no,
    key,
    pv: pvText(pv),
    status: codesText(status),
    events: codesText(events),
    points: pointsText(points),
  }));
}

type DeviceInput = BlockInput & { readonly block: readonly Block[] };

function deviceRows(known: readonly Device[], input: DeviceInput): Device[] {
  const { file, new_id, site_no } = input;
  const known_ids = new Map(
    known.filter((it) => it.site_no === site_no).map((device) => [device.key, device.id]),
  );
  const ids = new Map(file.devices.map(({ key }) => [key, known_ids.get(key) ?? new_id()]));
  const entries = new Map(file.devices.map((device) => [device.key, device]));
  const blocks = new Map(input.block.map((block) => [block.key, block.id]));
  const blockOf = (key: string): string | null => {
    let at = entries.get(key);
    while (at?.block === undefined && at?.parent !== undefined) at = entries.get(at.parent);
    return blocks.get(at?.block ?? "") ?? null;
  };
  const models = new Map(file.device_models.map((model) => [model.key, model]));
  return file.devices.map(({ key, name, type, parent, device_model, event_tag, pv, grid }) => ({
    id: ids.get(key)!,
    site_no,
    key,
    name: name ?? key,
    type,
    parent_device_id: parent === undefined ? null : ids.get(parent)!,
    block_id: blockOf(key),
    device_model: device_model ?? null,
    event_tag: event_tag ?? null,
    pv: pvText(pv, models.get(device_model ?? "")?.pv),
    grid: gridText(grid),
  }));
}

type TagInput = Numbers & { readonly file: SiteFile; readonly device: readonly Device[] };

function tagRows(known: readonly Tag[], { file, device, project_no }: TagInput): Tag[] {
  const found = new Map(
    known.filter((it) => it.project_no === project_no && it.lane === "signal")
      .map((tag) => [tag.sensor_tag, tag]),
  );
  const entries = new Map(file.tags.map((entry) => [entry.name, entry]));
  const direct = directSensors(file);
  const coded = codedTags(file);
  const devices = new Map(device.map((it) => [it.key, it]));
  const words = new Map(
    device.flatMap((it) => it.event_tag === null ? [] : [[it.event_tag, it] as const]),
  );
  let tag_no = next(known.map((tag) => tag.tag_no));
  return [...new Set([...entries.keys(), ...direct.keys(), ...words.keys()])].map((name) => {
    const entry = entries.get(name);
    const own = devices.get(direct.get(name)?.device ?? "") ?? words.get(name);
    const old = found.get(name);
    return {
      tag_no: old?.tag_no ?? tag_no++,
      project_no,
      lane: "signal",
      sensor_tag: name,
      tag_class: entry?.class ?? null,
      // An event word's bits must not be averaged.
      encoding: words.has(name)
        ? "integer"
        : entry?.encoding ?? old?.encoding ?? (coded.has(name) ? "integer" : null),
      unit: entry?.unit ?? null,
      carry_s: entry?.carry_s ?? rollup_limits.carry_s,
      device_key: entry?.device_key ?? own?.key ?? null,
      device_name: entry?.device_name ?? own?.name ?? null,
      declared: true,
    };
  });
}

/** The tags whose values a rule takes for codes or bits. */
function codedTags(file: SiteFile): ReadonlySet<string> {
  const place = rulePlace(file);
  const coded = file.rules.filter((rule) => definitionOf(rule).needs.values === "code");
  return new Set(coded.flatMap((rule) => matchesOf(rule, place).map(({ tag }) => tag)));
}

type SensorInput = DeviceInput & {
  readonly device: readonly Device[];
  readonly tag: readonly Tag[];
};

function sensorRows(known: readonly Sensor[], input: SensorInput): Sensor[] {
  const { file, new_id, project_no, site_no } = input;
  const found = new Map(
    known.filter((it) => it.project_no === project_no).map((it) => [sensorIdentity(it), it]),
  );
  const devices = new Map(input.device.map((device) => [device.key, device]));
  const blocks = new Map(input.block.map((block) => [block.key, block.id]));
  const tag_nos = new Map(input.tag.map((tag) => [tag.sensor_tag, tag.tag_no]));
  const direct = directSensors(file);
  let sensor_no = next(known.map((it) => it.sensor_no));
  return file.sensors.map((entry) => {
    const { tag, device: device_key, block, ...mapping } = entry;
    const device = devices.get(device_key ?? "");
    const component = entry.component ?? device!.type as Sensor["component"];
    const tag_no = tag_nos.get(tag)!;
    const device_id = device?.id ?? null;
    const old = found.get(sensorIdentity({ ...entry, tag_no, device_id, component }));
    return {
      ...mapping,
      sensor_no: old?.sensor_no ?? sensor_no++,
      hierarchy_id: old?.hierarchy_id ?? new_id(),
      project_no,
      site_no,
      tag_no,
      device_id,
      block_id: block === undefined ? device?.block_id ?? null : blocks.get(block)!,
      component,
      capacity: entry.capacity ?? null,
      interval_s: entry.interval_s ?? null,
      register_bits: entry.register_bits ?? null,
      direct: direct.get(tag) === entry,
    };
  });
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
function tagEntry(tag: Tag, { devices, direct, events }: Words): TagEntry | undefined {
  const sensor = direct.get(tag.tag_no);
  const word = events.get(tag.sensor_tag);
  const device = devices.get(sensor?.device_id ?? "") ?? word;
  const entry = defined({
    name: tag.sensor_tag,
    class: tag.tag_class,
    encoding: unless(tag.encoding, word && "integer"),
    unit: tag.unit,
    carry_s: unless(tag.carry_s, rollup_limits.carry_s),
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
