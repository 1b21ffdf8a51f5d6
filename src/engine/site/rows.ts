// A site file as rows of the plant.
import { rollup_limits } from "../../model/rollup/limits.ts";
import { pointsText } from "../../model/alarms/point.ts";
import { codesText } from "../../model/availability/state_code.ts";
import type { CounterReset } from "../../model/counters/reset.ts";
import type { Block, Device, DeviceModel, Sensor, Tag } from "../../model/plant/plant.ts";
import { gridText, pvText } from "../../model/expected/pv.ts";
import { encodingOf } from "../../model/derived/check.ts";
import { derivedText } from "../../model/derived/derived.ts";
import { definitionOf } from "../../model/rules/kinds.ts";
import { matchesOf } from "../../model/rules/match.ts";
import { isIntegral, rulePlace } from "../../model/site/check.ts";
import { derivedDefinitions } from "../../model/site/derived.ts";
import { sourceText } from "../../model/sources/form.ts";
import type { Source } from "../../model/sources/source.ts";
import type { KeepRule } from "../../model/retention/keep.ts";
import type { SiteFile } from "../../model/site/file.ts";
import type { PlantRows, SiteState } from "../../store/site/site.ts";
import { fallbackRows } from "./fallback.ts";
import { instantOf } from "../../wire/bytes/instant.ts";

type FileSensor = SiteFile["sensors"][number];
type Numbers = { readonly project_no: number; readonly site_no: number };

/** Where identifiers come from; of organizations elsewhere, where others make them as well. */
export type NewIds = {
  readonly new_id: () => string;
  readonly organizationId?: (key: string) => string;
};

/**
 * The rows that the plant has once `file` is applied: its own, and no other site's. Identifiers and
 * numbers of what exists are kept.
 */
export function wantedRows(
  { plant, resets }: SiteState,
  file: SiteFile,
  { new_id, organizationId = new_id }: NewIds,
): PlantRows {
  const { organizations, projects, sites } = plant;
  const organization_id = organizations.find((it) => it.key === file.organization.key)?.id ??
    organizationId(file.organization.key);
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
    counter_reset: resetRows(resets, { file, new_id, tag, ...numbers }),
    fallback: fallbackRows(plant, { file, new_id, ...numbers }),
    keep_rule: keepRows(plant.keep_rules, { file, new_id, ...numbers }),
    source: sourceRows(plant.sources, { file, new_id, ...numbers }),
  };
}

/** What tells a sensor from every other of its project. */
function sensorIdentity(
  sensor: Pick<Sensor, "sentinel_tag" | "tag_no" | "device_id" | "component" | "measure">,
): string {
  const { sentinel_tag, tag_no, device_id, component, measure } = sensor;
  return JSON.stringify([sentinel_tag, tag_no, device_id, component, measure]);
}

/**
 * For each tag its sensors that show it in the performance lane, by content, whatever the order in
 * the file: all that read it directly, or the first of those that integrate it.
 */
function directSensors(
  { devices, sensors }: Pick<SiteFile, "devices" | "sensors">,
): ReadonlyMap<string, readonly FileSensor[]> {
  const types = new Map(devices.map((device) => [device.key, device.type]));
  const rank = (it: FileSensor) => {
    const component = it.component ?? types.get(it.device!);
    return JSON.stringify([isIntegral(it), it.sentinel_tag, it.measure, it.device, component]);
  };
  const direct = new Map<string, readonly FileSensor[]>();
  for (const [tag, own] of Map.groupBy(sensors, (sensor) => sensor.tag)) {
    const ranked = own.toSorted((a, b) => rank(a) < rank(b) ? -1 : 1);
    direct.set(tag, ranked.filter((it, i) => i === 0 || !isIntegral(it)));
  }
  return direct;
}

function next(numbers: readonly number[]): number {
  return numbers.reduce((most, number) => Math.max(most, number), 0) + 1;
}

/**
 * Numbers of new rows, by row, from `first` on. Those of one kind follow each other, in the order
 * in which they stand: then their values lie together, and one's are found without a look at what
 * is of other kinds.
 */
function numbersOf<T>(
  rows: readonly T[],
  { first, kindOf }: { readonly first: number; readonly kindOf: (row: T) => string },
): ReadonlyMap<T, number> {
  const in_turn = Map.groupBy(rows, kindOf).values().toArray().flat();
  return new Map(in_turn.map((row, i) => [row, first + i]));
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
  const derived = derivedDefinitions(file);
  const devices = new Map(device.map((it) => [it.key, it]));
  const words = new Map(
    device.flatMap((it) => it.event_tag === null ? [] : [[it.event_tag, it] as const]),
  );
  const names = [...new Set([...entries.keys(), ...direct.keys(), ...words.keys()])];
  const numbers = numbersOf(names.filter((name) => !found.has(name)), {
    first: next(known.map((tag) => tag.tag_no)),
    kindOf: (name) => direct.get(name)?.[0].measure ?? "",
  });
  return names.map((name) => {
    const entry = entries.get(name);
    const own = devices.get(direct.get(name)?.[0].device ?? "") ?? words.get(name);
    const old = found.get(name);
    const definition = derived.get(name);
    return {
      tag_no: old?.tag_no ?? numbers.get(name)!,
      project_no,
      lane: "signal",
      sensor_tag: name,
      tag_class: entry?.class ?? null,
      // An event word's bits must not be averaged.
      encoding: words.has(name)
        ? "integer"
        : definition !== undefined
        ? encodingOf(definition)
        : entry?.encoding ?? old?.encoding ?? (coded.has(name) ? "integer" : null),
      unit: entry?.unit ?? null,
      carry_s: entry?.carry_s ?? rollup_limits.carry_s,
      device_key: entry?.device_key ?? own?.key ?? null,
      device_name: entry?.device_name ?? own?.name ?? null,
      declared: true,
      derived: definition === undefined ? null : derivedText(definition),
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
  const placed = file.sensors.map((entry) => {
    const device = devices.get(entry.device ?? "");
    const component = entry.component ?? device!.type as Sensor["component"];
    const place = { tag_no: tag_nos.get(entry.tag)!, device_id: device?.id ?? null, component };
    return { entry, device, place, old: found.get(sensorIdentity({ ...entry, ...place })) };
  });
  const numbers = numbersOf(placed.filter(({ old }) => !old), {
    first: next(known.map((it) => it.sensor_no)),
    kindOf: ({ entry }) => entry.measure,
  });
  return placed.map((it) => {
    const { entry, device, place, old } = it;
    const { tag, device: _device, block, ...mapping } = entry;
    return {
      ...mapping,
      ...place,
      sensor_no: old?.sensor_no ?? numbers.get(it)!,
      hierarchy_id: old?.hierarchy_id ?? new_id(),
      project_no,
      site_no,
      block_id: block === undefined ? device?.block_id ?? null : blocks.get(block)!,
      capacity: entry.capacity ?? null,
      interval_s: entry.interval_s ?? null,
      register_bits: entry.register_bits ?? null,
      register_modulus: entry.register_modulus ?? null,
      direct: direct.get(tag)!.includes(entry),
    };
  });
}

type ResetInput = BlockInput & { readonly tag: readonly Tag[] };

function resetRows(
  known: readonly CounterReset[],
  { file, new_id, project_no, site_no, tag }: ResetInput,
): CounterReset[] {
  const tag_nos = new Map(tag.map((it) => [it.sensor_tag, it.tag_no]));
  return file.counter_resets.map(({ tag, at, ...values }) => {
    const tag_no = tag_nos.get(tag)!;
    const at_us = instantOf(at);
    // One that a request has declared is the file's from now on.
    const old = known.find((it) =>
      it.tag_no === tag_no && it.at_us === at_us && (it.site_no ?? site_no) === site_no
    );
    return { id: old?.id ?? new_id(), project_no, site_no, tag_no, at_us, ...values, author: null };
  });
}

/** The rules of retention in their order; one of the same tags and lane keeps its identity. */
function keepRows(known: readonly KeepRule[], { file, new_id, site_no }: BlockInput): KeepRule[] {
  return file.retention.map((entry, place) => {
    const lane = entry.lane ?? null;
    const old = known.find((it) =>
      it.site_no === site_no && it.tags === entry.tags && it.lane === lane
    );
    const texts = {
      keep_samples: entry.keep_samples ?? null,
      keep_forecasts: entry.keep_forecasts ?? null,
      keep_minutes: entry.keep_minutes ?? null,
      keep_quarters: entry.keep_quarters ?? null,
    };
    return { id: old?.id ?? new_id(), site_no, place, tags: entry.tags, lane, ...texts };
  });
}

function sourceRows(known: readonly Source[], { file, new_id, site_no }: BlockInput): Source[] {
  const ids = new Map(
    known.filter((it) => it.site_no === site_no).map((source) => [source.key, source.id]),
  );
  return file.sources.map((entry) => ({
    ...{ id: ids.get(entry.key) ?? new_id(), site_no, key: entry.key, origin: "site_file" },
    ...{ definition: sourceText(entry), author: null },
  }));
}
