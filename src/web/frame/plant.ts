// The plant that is shown: its devices and sensors, by name and by id.
import { computed } from "@preact/signals";
import type { Mount } from "../../model/expected/pv.ts";
import { getJson } from "./api.ts";
import { load } from "./load.ts";
import { natural } from "./number.ts";
import { project } from "./session.ts";

/** A tag of a device. */
export type Sensor = {
  readonly hierarchy_id: string;
  readonly sensor_tag: string;
  readonly component: string;
  readonly component_measure: string;
  readonly unit: string | null;
  readonly source_unit: string | null;
  readonly tag_class: string | null;
  readonly value_encoding: "float" | "integer" | "string" | null;
};

/** A device; `hierarchy_id` is the one that rows of availability and losses know it by. */
export type Device = {
  readonly device_id: string;
  readonly key: string;
  readonly name: string;
  readonly type: string;
  readonly site_id: string;
  readonly parent_id: string | null;
  readonly block_id: string | null;
  readonly rated_w: number | null;
  readonly rated_dc_w: number | null;
  readonly capacity_wh: number | null;
  readonly hierarchy_id: string | null;
  /** How its modules stand; null where that is not declared. */
  readonly mount?: Mount | null;
  readonly sensors: readonly Sensor[];
};

type Block = { readonly block_id: string; readonly key: string; readonly name: string };

type Devices = {
  readonly devices: readonly Device[];
  /** Those of a site that belong to no device. */
  readonly sensors: readonly Sensor[];
  readonly blocks: readonly Block[];
};

/** The plant as it is loaded. */
export const plant_load = load(
  () => project.value?.id,
  (project_id, signal) =>
    getJson<Devices>("/platform/v1/meta/devices", { project_id, include: "mount" }, signal),
);

/** The plant's devices, in the order of their keys. */
export const devices = computed(() =>
  (plant_load.value.data?.devices ?? []).toSorted((a, b) => natural.compare(a.key, b.key))
);

/** The plant's blocks, by id. */
export const blocks = computed(() =>
  new Map((plant_load.value.data?.blocks ?? []).map((block) => [block.block_id, block]))
);

/** What a load of a plant's devices is asked by: null where the plant has none of them. */
export function plantKey<const K>(key: K | undefined): K | null | undefined {
  return key ?? (plant_load.value.data && null);
}

/** The plant's devices of a type. */
export function devicesOf(type: string): readonly Device[] {
  return devices.value.filter((device) => device.type === type);
}

/** A device by its id, its key, or the hierarchy id of any of its sensors. */
export function deviceOf(word: string | null | undefined): Device | undefined {
  return word ? by_word.value.get(word) : undefined;
}

/** The sensor of a device that has a measure. */
export function sensorOf(device: Device, measure: string): Sensor | undefined {
  return device.sensors.find(({ component_measure }) => component_measure === measure);
}

const by_word = computed(() => {
  const found = new Map<string, Device>();
  for (const device of devices.value) {
    for (const { hierarchy_id } of device.sensors) found.set(hierarchy_id, device);
    found.set(device.key, device).set(device.device_id, device);
  }
  return found;
});
