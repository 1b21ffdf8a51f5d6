// Where a rule watches: the tags of one site that its words mean.
import type { Encoding } from "../plant/plant.ts";
import type { RuleEntry } from "./form.ts";

/** A device as rules name it. */
export type PlaceDevice = {
  readonly key: string;
  readonly type: string;
  readonly device_model: string | null;
  readonly event_tag: string | null;
};

/** A sensor that reads its tag directly. */
export type PlaceSensor = {
  readonly tag: string;
  /** Key of its device; null under the site root. */
  readonly device: string | null;
  readonly component: string;
  readonly measure: string;
};

/** What of a site rules can watch. */
export type RulePlace = {
  /** How values are kept, by the tag's name; null where that is not decided. */
  readonly tags: ReadonlyMap<string, Encoding | null>;
  readonly device_models: ReadonlySet<string>;
  readonly devices: ReadonlyMap<string, PlaceDevice>;
  /** Keys of devices by the name of their event word. */
  readonly event_words: ReadonlyMap<string, string>;
  /** By tag, which several may read. */
  readonly sensors: ReadonlyMap<string, readonly PlaceSensor[]>;
};

/** A tag that a rule means, and the key of the device that it is about; null for none. */
export type RuleMatch = { readonly tag: string; readonly device: string | null };

const placeholder = "{device}";

/** What of a site rules can watch, with the look-ups. */
export function placeOf(
  { tags, device_models, devices, sensors }: {
    readonly tags: ReadonlyMap<string, Encoding | null>;
    readonly device_models: readonly string[];
    readonly devices: readonly PlaceDevice[];
    readonly sensors: readonly PlaceSensor[];
  },
): RulePlace {
  const words = devices.flatMap(({ key, event_tag }) =>
    event_tag === null ? [] : [[event_tag, key]]
  );
  return {
    tags,
    device_models: new Set(device_models),
    devices: new Map(devices.map((device) => [device.key, device])),
    event_words: new Map(words as [string, string][]),
    sensors: Map.groupBy(sensors, ({ tag }) => tag),
  };
}

/** Whether a rule names its tag by a template. */
export function isTemplate({ tag }: Pick<RuleEntry, "tag">): boolean {
  return tag !== undefined && tag.includes(placeholder);
}

/**
 * Every tag that a rule means, each once, in the order of the place. Those of a template may not be
 * there yet.
 */
export function matchesOf(entry: RuleEntry, place: RulePlace): readonly RuleMatch[] {
  const { tag, measure } = entry;
  if (tag !== undefined && !isTemplate(entry)) {
    const [sensor] = place.sensors.get(tag) ?? [];
    return [{ tag, device: sensor?.device ?? place.event_words.get(tag) ?? null }];
  }
  if (measure !== undefined) {
    const meant = (sensor: PlaceSensor) =>
      sensor.measure === measure && isMeant(entry, place, sensor);
    return [...place.sensors.values()].flatMap((sensors) => sensors.find(meant) ?? []);
  }
  return devicesOf(entry, place).flatMap(({ key, event_tag }) => {
    const name = tag === undefined ? event_tag : tag.replaceAll(placeholder, key);
    return name === null ? [] : [{ tag: name, device: key }];
  });
}

type Selection = Pick<RuleEntry, "device_model" | "component" | "device">;

function isMeant(
  { device_model, component, device }: Selection,
  { devices }: RulePlace,
  sensor: PlaceSensor,
): boolean {
  if (device !== undefined) return sensor.device === device;
  if (component !== undefined) return sensor.component === component;
  return devices.get(sensor.device ?? "")?.device_model === device_model;
}

function devicesOf(
  { device_model, component, device }: Selection,
  { devices }: RulePlace,
): readonly PlaceDevice[] {
  if (device !== undefined) return [devices.get(device)].filter((it) => it !== undefined);
  return [...devices.values()].filter((it) =>
    component !== undefined ? it.type === component : it.device_model === device_model
  );
}
