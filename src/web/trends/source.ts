// Where a curve's values come from, and what it is called: its device, its measure, its unit.
import { computed } from "@preact/signals";
import { getJson } from "../frame/api.ts";
import { load } from "../frame/load.ts";
import { deviceOf, devices, sensorOf } from "../frame/plant.ts";
import { project } from "../frame/session.ts";
import { type Curve, wordOf } from "./curve.ts";
import { measureName, say } from "./say.ts";

/** A measure of the dictionary. */
type Measure = {
  readonly name: string;
  readonly unit: string;
  readonly over_time: string;
  readonly model: string;
};

/** A tag that a source has sent. */
export type Tag = {
  readonly sensor_tag: string;
  readonly lane: "signal" | "model";
  readonly value_encoding: "float" | "integer" | "string" | null;
  readonly unit: string | null;
  readonly mapped: boolean;
};

/** A curve with what its requests and its legend need. */
export type Source = {
  readonly word: string;
  readonly curve: Curve;
  readonly label: string;
  readonly unit: string;
  readonly component?: string;
  readonly measure?: string;
  readonly hierarchy_id?: string;
  readonly tag?: string;
  readonly is_expected: boolean;
  /** Its values hold until the next one. */
  readonly is_state: boolean;
  /** Each bucket has what was added within it. */
  readonly is_increment: boolean;
};

const measure_load = load(
  () => project.value?.id,
  (_, signal) => getJson<Measure[]>("/platform/v1/meta/measures", {}, signal),
);

const tag_load = load(
  () => project.value?.id,
  (project_id, signal) =>
    getJson<Tag[]>("/platform/v1/meta/tags", { project_id, limit: 100_000 }, signal),
);

const measures = computed(() =>
  new Map(measure_load.value.data?.map((measure) => [measure.name, measure]))
);

/** The project's tags, by name. */
export const tags = computed(() =>
  new Map(tag_load.value.data?.map((tag) => [tag.sensor_tag, tag]))
);

/** Whether everything is there that curves are found by. */
export const is_known = computed(() =>
  measures.value.size > 0 && tag_load.value.data !== undefined
);

/** Whether the service computes what a measure should be. */
export function hasExpected(measure: string): boolean {
  return ["computed", "integral"].includes(measures.value.get(measure)?.model ?? "");
}

/** Where a curve comes from; undefined where the plant has no such thing. */
export function sourceOf(curve: Curve): Source | undefined {
  const word = wordOf(curve);
  if (curve.kind === "tag") {
    const tag = tags.value.get(curve.tag);
    return tag && {
      word,
      curve,
      label: say().as_sent(curve.tag),
      unit: unitText(tag.unit),
      tag: curve.tag,
      is_expected: false,
      is_state: tag.value_encoding === "integer",
      is_increment: false,
    };
  }
  const measure = measures.value.get(curve.measure);
  if (!measure) return undefined;
  const name = measureName(curve.measure) + (curve.is_expected ? `, ${say().expected}` : "");
  const common = {
    word,
    curve,
    measure: curve.measure,
    unit: unitText(measure.unit),
    is_expected: curve.is_expected,
    is_state: measure.unit === "code",
    is_increment: measure.over_time === "increment",
  };
  if (curve.kind === "total") {
    const { component } = curve;
    const isThere = devices.value.some(({ sensors }) =>
      sensors.some((it) => it.component === component && it.component_measure === curve.measure)
    );
    if (!isThere) return undefined;
    return { ...common, component, label: `${say().whole_plant(component)} ${name}` };
  }
  const device = deviceOf(curve.device);
  const sensor =
    device?.sensors.find(({ hierarchy_id, component_measure }) =>
      hierarchy_id === curve.device && component_measure === curve.measure
    ) ?? (device && sensorOf(device, curve.measure));
  if (!device || !sensor) return undefined;
  return {
    ...common,
    component: sensor.component,
    hierarchy_id: sensor.hierarchy_id,
    tag: sensor.sensor_tag,
    label: `${device.name} ${name}`,
  };
}

/** A unit as it is printed; none for plain numbers. */
export function unitText(unit: string | null): string {
  if (unit === null || unit === "1" || unit === "-") return "";
  const text: Readonly<Record<string, string>> = { degC: "°C", degF: "°F", deg: "°" };
  return text[unit] ?? unit.replace(/m([23])$/, (_, power) => power === "2" ? "m²" : "m³");
}
