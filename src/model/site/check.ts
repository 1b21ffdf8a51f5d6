// Checks a site file whole: its form, then whether its parts agree; every flaw with its place.
import { type Fault, type Flaw, refusal } from "../../base/fault.ts";
import { meant, meantOrKnown } from "../../base/did_you_mean.ts";
import { counter_limits } from "../counters/limits.ts";
import { isNumeric, measures } from "../plant/measure.ts";
import { mergePv } from "../expected/pv.ts";
import type { PvEntry } from "../expected/pv_form.ts";
import { derivedFlaws } from "../derived/check.ts";
import { ruleFlaws } from "../rules/check.ts";
import { placeOf, type RulePlace } from "../rules/match.ts";
import { sourceFlaws } from "../sources/check.ts";
import { formFlaws, rightRest } from "../data/form_flaw.ts";
import { derivedTags, tagUnits } from "./derived.ts";
import { knownKeys, site_schema, type SiteFile } from "./file.ts";
import { isTimezone, zoneFlaw } from "../time/zone.ts";

type SensorEntry = SiteFile["sensors"][number];
type DeviceEntry = SiteFile["devices"][number];
type ModelEntry = SiteFile["device_models"][number];

/**
 * A site file from plain data (parsed TOML or JSON), its defaults filled in. Throws a `Fault`
 * (invalid) with every flaw, up to `limits.flaws_shown`, each with a path such as
 * `sensors[12].device`.
 */
export function checkSiteFile(data: unknown): SiteFile {
  const parsed = site_schema.safeParse(data, { reportInput: true });
  if (!parsed.success) {
    const { issues } = parsed.error;
    throw wrongFile([
      ...issues.flatMap((it) => formFlaws(it, knownKeys)),
      ...restFlaws(rightRest(site_schema, { data, issues })),
    ]);
  }
  const flaws = crossFlaws(parsed.data);
  if (flaws.length > 0) throw wrongFile(flaws);
  return parsed.data;
}

/**
 * What is wrong with how the parts agree that are right in form; nothing that may only look wrong
 * because others are left out: whoever says a name or a tag of these can't be judged.
 */
function restFlaws(found: ReturnType<typeof rightRest<typeof site_schema>>): Flaw[] {
  if (found === undefined) return [];
  const { rest, places, wrong } = found;
  const names = wrong.map((entry) => {
    const { key, name, tag, event_tag } = Object(entry) as Record<string, unknown>;
    return textsIn([key, name, tag, event_tag]);
  });
  const lost = new Set(names.flat());
  // Which tags a source brings, or an entry whose name is misspelled, can't be told.
  const is_open = places.has("sources") || names.some((it) => it.length === 0);
  const placed = (text: string) =>
    text.replaceAll(/\b(\w+)\[(\d+)\]/g, (whole, list, at) => {
      const place = places.get(list)?.[Number(at)];
      return place === undefined ? whole : `${list}[${place}]`;
    });
  const isSure = (path: string) => {
    const [, list, at] = /^(\w+)\[(\d+)\]/.exec(path) ?? [];
    if (list === undefined || wrong.length === 0) return true;
    const entry = (rest as unknown as Record<string, readonly unknown[]>)[list][Number(at)];
    if (list === "rules" || textsIn(entry).some((text) => lost.has(text))) return false;
    const formula = list === "tags" ? rest.tags[Number(at)].derived?.formula : undefined;
    return formula === undefined || !is_open && !namesAny(formula, lost);
  };
  return crossFlaws(rest).filter(({ path }) => isSure(path))
    .map(({ path, message }) => ({ path: placed(path), message: placed(message) }));
}

/** Whether a formula names one of some tags, also where it can't be read. */
function namesAny(formula: string, tags: ReadonlySet<string>): boolean {
  return [...tags].some((name) => formula.includes(`[${name.replaceAll("]", "]]")}]`));
}

/** Every text in plain data. */
function textsIn(data: unknown): readonly string[] {
  if (typeof data === "string") return [data];
  return typeof data === "object" && data !== null ? Object.values(data).flatMap(textsIn) : [];
}

/** Whether a sensor works its amounts out as the integral of its tag's values. */
export function isIntegral(sensor: Pick<SensorEntry, "measure" | "accumulation">): boolean {
  return sensor.accumulation === "none" &&
    measures.get(sensor.measure)!.over_time === "increment";
}

function wrongFile(flaws: readonly Flaw[]): Fault {
  const count = flaws.length === 1 ? "1 flaw" : `${flaws.length} flaws`;
  return refusal(`the site file has ${count}`, flaws);
}

function crossFlaws(file: SiteFile): Flaw[] {
  return [
    ...timezoneFlaws(file),
    ...repeats("blocks", "key", file.blocks.map(({ key }) => key)),
    ...repeats("device_models", "key", file.device_models.map(({ key }) => key)),
    ...repeats("devices", "key", file.devices.map(({ key }) => key)),
    ...repeats("tags", "name", file.tags.map(({ name }) => name)),
    ...repeats("rules", "key", file.rules.map(({ key }) => key)),
    ...repeats("sources", "key", file.sources.map(({ key }) => key)),
    ...repeats("retention", "tags", file.retention.map(({ tags, lane }) => `${lane} ${tags}`)),
    ...deviceFlaws(file),
    ...parameterFlaws(file),
    ...sensorFlaws(file),
    ...mappingFlaws(file),
    ...resetFlaws(file),
    ...textFlaws(file),
    ...derivedFlaws(derivedTags(file), tagUnits(file)),
    ...ruleFlaws(file.rules, rulePlace(file), { pathOf: (i) => `rules[${i}]` }),
    ...sourceFlaws(file.sources, {
      devices: file.devices.map(({ key }) => key),
      pathOf: (i) => `sources[${i}]`,
    }),
  ];
}

/** What rules can watch of a site as its file declares it. */
export function rulePlace({ devices, device_models, tags, sensors }: SiteFile): RulePlace {
  const words = devices.flatMap(({ event_tag }) => event_tag === undefined ? [] : [event_tag]);
  const types = new Map(devices.map((device) => [device.key, device.type]));
  return placeOf({
    tags: new Map([
      ...sensors.map(({ tag }) => [tag, null] as const),
      ...tags.map(({ name, encoding }) => [name, encoding ?? null] as const),
      ...words.map((word) => [word, "integer"] as const),
    ]),
    device_models: device_models.map(({ key }) => key),
    devices: devices.map(({ key, type, device_model, event_tag }) => ({
      key,
      type,
      device_model: device_model ?? null,
      event_tag: event_tag ?? null,
    })),
    sensors: sensors.filter((sensor) => !isIntegral(sensor)).map((sensor) => ({
      tag: sensor.tag,
      device: sensor.device ?? null,
      component: sensor.component ?? types.get(sensor.device ?? "") ?? "",
      measure: sensor.measure,
    })),
  });
}

function timezoneFlaws({ project }: SiteFile): Flaw[] {
  if (isTimezone(project.timezone)) return [];
  return [{ path: "project.timezone", message: zoneFlaw(project.timezone) }];
}

/** A flaw for each key that stands in its list before. */
function repeats(list: string, field: string, keys: readonly string[]): Flaw[] {
  const first = new Map<string, number>();
  return keys.flatMap((key, i) => {
    const at = first.get(key);
    if (at === undefined) first.set(key, i);
    const message = `${JSON.stringify(key)} is already ${list}[${at}]`;
    return at === undefined ? [] : [{ path: `${list}[${i}].${field}`, message }];
  });
}

/** A flaw when a reference names nothing. */
function dangling(path: string, word: string | undefined, known: ReadonlyMap<string, unknown>) {
  if (word === undefined || known.has(word)) return [];
  const message = `there is no ${JSON.stringify(word)}` + meantOrKnown(word, known.keys());
  return [{ path, message }];
}

function deviceFlaws({ blocks, device_models, devices }: SiteFile): Flaw[] {
  const block_keys = new Map(blocks.map((block) => [block.key, block]));
  const model_keys = new Map(device_models.map((model) => [model.key, model]));
  const by_key = new Map(devices.map((device) => [device.key, device]));
  const clear = new Set<string>();
  return devices.flatMap((device, i) => {
    const path = `devices[${i}]`;
    const flaws = [
      ...dangling(`${path}.block`, device.block, block_keys),
      ...dangling(`${path}.device_model`, device.device_model, model_keys),
      ...dangling(`${path}.parent`, device.parent, by_key),
    ];
    const passed = new Set<string>();
    for (let at = device; !clear.has(at.key); at = by_key.get(at.parent)!) {
      if (passed.has(at.key)) {
        const message = `its parents lead round to ${JSON.stringify(at.key)}`;
        flaws.push({ path: `${path}.parent`, message });
        break;
      }
      passed.add(at.key);
      if (at.parent === undefined || !by_key.has(at.parent)) break;
    }
    passed.forEach((key) => clear.add(key));
    return flaws;
  });
}

/** What is wrong with the parameters of devices and device models that are right in form. */
function parameterFlaws(file: SiteFile): Flaw[] {
  const models = new Map(file.device_models.map((model) => [model.key, model]));
  return [
    ...file.device_models.flatMap(({ pv }, i) => mountFlaws(`device_models[${i}].pv`, pv)),
    ...file.devices.flatMap((device, i) => {
      const path = `devices[${i}]`;
      const model = models.get(device.device_model ?? "");
      return [
        ...mountFlaws(`${path}.pv`, device.pv),
        ...pvFlaws(path, device, model),
        ...gridFlaws(path, device),
      ];
    }),
    ...eventFlaws(file, models),
  ];
}

function mountFlaws(path: string, pv: PvEntry | undefined): Flaw[] {
  if (pv?.tracker === undefined) return [];
  return (["tilt", "azimuth"] as const).filter((name) => pv[name] !== undefined).map((name) => ({
    path: `${path}.${name}`,
    message: "can't be beside a tracker: modules are fixed or they turn",
  }));
}

/** What is wrong with a device's parameters over its device model's. */
function pvFlaws(path: string, { type, pv }: DeviceEntry, model?: ModelEntry): Flaw[] {
  if (pv === undefined && model?.pv === undefined) return [];
  if (type !== "inverter") {
    const place = pv === undefined ? "device_model" : "pv";
    return [{
      path: `${path}.${place}`,
      message: `PV parameters are of inverters, not of ${type}`,
    }];
  }
  const merged = mergePv(pv, model?.pv);
  const needed: [name: keyof PvEntry, message: string][] = [
    ["rated_dc_w", "is missing, here and in a device model"],
    ["rated_ac_w", "is missing, here and in a device model"],
  ];
  if (merged.tracker === undefined && merged.tilt !== undefined) {
    needed.push(["azimuth", "is missing: a tilt needs it"]);
  }
  if (merged.tracker === undefined && merged.azimuth !== undefined) {
    needed.push(["tilt", "is missing: an azimuth needs it"]);
  }
  return needed.filter(([name]) => merged[name] === undefined)
    .map(([name, message]) => ({ path: `${path}.pv.${name}`, message }));
}

const grid_types: readonly string[] = ["system", "block", "feeder", "transformer", "meter"];

function gridFlaws(path: string, { type, grid }: DeviceEntry): Flaw[] {
  if (grid === undefined || grid_types.includes(type)) return [];
  return [{ path: `${path}.grid`, message: `is only for ${grid_types.join(", ")}` }];
}

/** Each event word is one device's, has a meaning, and is kept bit by bit. */
function eventFlaws(
  { devices, tags }: SiteFile,
  models: ReadonlyMap<string, ModelEntry>,
): Flaw[] {
  const first = new Map<string, number>();
  const flaws = devices.flatMap(({ event_tag, device_model }, i): Flaw[] => {
    if (event_tag === undefined) return [];
    const path = `devices[${i}].event_tag`;
    const other = first.get(event_tag);
    if (other !== undefined) return [{ path, message: `is already the one of devices[${other}]` }];
    first.set(event_tag, i);
    const { events, points } = models.get(device_model ?? "") ?? {};
    if (events !== undefined || points !== undefined) return [];
    return [{ path, message: "has no meaning: give it a device model with events or points" }];
  });
  return [
    ...flaws,
    ...tags.flatMap(({ name, encoding = "integer" }, i): Flaw[] => {
      if (!first.has(name) || encoding === "integer") return [];
      return [{ path: `tags[${i}].encoding`, message: "give integer: the tag is an event word" }];
    }),
  ];
}

function sensorFlaws({ blocks, devices, sensors }: SiteFile): Flaw[] {
  const block_keys = new Map(blocks.map((block) => [block.key, block]));
  const device_keys = new Map(devices.map((device) => [device.key, device]));
  return sensors.flatMap((sensor, i) => {
    const path = `sensors[${i}]`;
    return [
      ...dangling(`${path}.device`, sensor.device, device_keys),
      ...dangling(`${path}.block`, sensor.block, block_keys),
      ...amountFlaws(sensor).map(({ path: field, message }) => ({
        path: `${path}.${field}`,
        message,
      })),
    ];
  });
}

/** What is wrong with one sensor by itself; the paths are its fields. */
function amountFlaws(sensor: SensorEntry): Flaw[] {
  const { accumulation, measure } = sensor;
  const flaws: Flaw[] = [];
  const add = (path: string, message: string) => flaws.push({ path, message });
  if (sensor.component === undefined && sensor.device === undefined) {
    add("component", "is missing: the sensor has no device to take it from");
  }
  if (sensor.scale === 0) add("scale", "give a number other than 0");
  if (accumulation !== "none" && measures.get(measure)!.over_time !== "increment") {
    add("accumulation", `${measure} is no increment: leave it out`);
  }
  if (accumulation === "interval" && sensor.interval_s === undefined) {
    add("interval_s", "is missing: an interval needs its length");
  }
  if (accumulation !== "interval" && sensor.interval_s !== undefined) {
    add("interval_s", 'is only for accumulation = "interval"');
  }
  for (const field of ["register_bits", "register_modulus"] as const) {
    if (accumulation === "counter" || sensor[field] === undefined) continue;
    add(field, 'is only for accumulation = "counter"');
  }
  if (sensor.register_bits !== undefined && sensor.register_modulus !== undefined) {
    add("register_modulus", "can't be beside register_bits: give one of them");
  }
  return flaws;
}

/** Each reset is of a counter, at an instant, once. */
function resetFlaws({ sensors, counter_resets }: SiteFile): Flaw[] {
  const counters = new Set(
    sensors.filter((it) => it.accumulation === "counter").map((it) => it.tag),
  );
  const seen = new Set<string>();
  const counts = new Map<string, number>();
  const most = counter_limits.resets_per_counter;
  return counter_resets.flatMap(({ tag, at }, i): Flaw[] => {
    const path = `counter_resets[${i}]`;
    const key = `${tag} ${Date.parse(at)}`;
    const is_again = seen.has(key);
    seen.add(key);
    if (is_again) return [{ path: `${path}.at`, message: "the tag has a reset at this time" }];
    const count = (counts.get(tag) ?? 0) + 1;
    counts.set(tag, count);
    if (count > most) return [{ path, message: `the tag has more than ${most} resets` }];
    if (counters.has(tag)) return [];
    const message = `no sensor takes ${JSON.stringify(tag)} for a counter`;
    return [{ path: `${path}.tag`, message: message + meant(tag, counters) }];
  });
}

/** Each sensor once; and what reads a tag directly takes its values for the same. */
function mappingFlaws({ devices, sensors }: SiteFile): Flaw[] {
  const types = new Map(devices.map((device) => [device.key, device.type]));
  const seen = new Map<string, number>();
  const direct = new Map<string, number>();
  return sensors.flatMap((sensor, i): Flaw[] => {
    const component = sensor.component ?? types.get(sensor.device ?? "");
    const { sentinel_tag, tag, device, measure, accumulation } = sensor;
    const identity = JSON.stringify([sentinel_tag, tag, device, component, measure]);
    const twin = seen.get(identity);
    if (twin !== undefined) {
      return [{ path: `sensors[${i}]`, message: `is the same sensor as sensors[${twin}]` }];
    }
    seen.set(identity, i);
    if (isIntegral(sensor)) return [];
    const other = direct.get(tag) ?? i;
    direct.set(tag, other);
    if (sensors[other].accumulation === accumulation) return [];
    const message = `is ${JSON.stringify(accumulation)}, but sensors[${other}] reads the tag as ` +
      `${JSON.stringify(sensors[other].accumulation)}: its values can't be both`;
    return [{ path: `sensors[${i}].accumulation`, message }];
  });
}

/** A tag of texts is of no measure but codes. */
function textFlaws({ tags, sensors }: SiteFile): Flaw[] {
  const numeric = new Map(
    sensors.filter(({ measure }) => isNumeric(measure)).map(({ tag, measure }) => [tag, measure]),
  );
  return tags.flatMap(({ name, encoding }, i): Flaw[] => {
    if (encoding !== "string" || !numeric.has(name)) return [];
    const message = `is string, and the tag measures ${numeric.get(name)}: give float or integer`;
    return [{ path: `tags[${i}].encoding`, message }];
  });
}
