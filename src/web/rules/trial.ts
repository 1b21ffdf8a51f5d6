// What a rule would have raised, as it is drawn: limits, spans, counts and the curve. Pure.
import type { Device, Sensor } from "../frame/plant.ts";
import type { Definition } from "./draft.ts";

/** An alarm that would have been. */
export type Occurrence = {
  readonly raised_at: string;
  readonly cleared_at: string | null;
  readonly raised_value: number;
  readonly peak_value: number | null;
  readonly decoded_labels: readonly string[];
};

/** What would have been raised on one tag. */
export type TagTrial = {
  readonly source_tag: string;
  readonly device_key: string | null;
  readonly raised: number;
  readonly standing_s: number;
  readonly chattering: number;
  /** The first of them. */
  readonly occurrences: readonly Occurrence[];
  readonly occurrences_total: number;
};

/** What a rule would have raised. */
export type Trial = {
  readonly tags_watched: number;
  readonly tags_silent: number;
  readonly raised: number;
  readonly standing_s: number;
  readonly chattering: number;
  readonly tags: readonly TagTrial[];
};

/** The longest of the alarms that are listed; undefined where there is none. */
export function longestOf({ tags }: Trial, end_ms: number): number | undefined {
  const lengths = tags.flatMap(({ occurrences }) => occurrences)
    .map((it) => spanOf(it, end_ms)).map(({ from_ms, to_ms }) => to_ms - from_ms);
  return lengths.length === 0 ? undefined : Math.max(...lengths);
}

/** When an alarm would have stood. */
export function spanOf({ raised_at, cleared_at }: Occurrence, end_ms: number) {
  const to_ms = cleared_at === null ? end_ms : Date.parse(cleared_at);
  return { from_ms: Date.parse(raised_at), to_ms };
}

/** The limits of a rule that lie on the scale of the values themselves. */
export function limitsOf({ kind, threshold, low, high }: Definition): readonly number[] {
  const limits = kind === "threshold" ? [threshold] : kind === "outside" ? [low, high] : [];
  return limits.filter((it) => typeof it === "number");
}

/** Tags that a rule watches, as far as devices and sensors tell; those of event words do not. */
export function watchedTags(
  definition: Definition,
  { devices, sensors }: {
    readonly devices: readonly Device[];
    readonly sensors: readonly Sensor[];
  },
): readonly string[] {
  const { tag, measure, component, device } = definition;
  const own = devices.filter(({ key, type }) =>
    (device === undefined || key === device) && (component === undefined || type === component)
  );
  if (typeof tag === "string") {
    return tag.includes("{device}") ? own.map(({ key }) => tag.replaceAll("{device}", key)) : [tag];
  }
  if (measure === undefined) return [];
  const among = device === undefined
    ? [...devices.flatMap((it) => it.sensors), ...sensors]
    : own.flatMap((it) => it.sensors);
  return among
    .filter((it) => it.component_measure === measure)
    .filter((it) => component === undefined || it.component === component)
    .map(({ sensor_tag }) => sensor_tag);
}

/** The unit of what a rule watches; empty where that is not known. */
export function unitOf(definition: Definition, sensors: readonly Sensor[]): string {
  const { tag, measure } = definition;
  if (typeof measure === "string") {
    return sensors.find((it) => it.component_measure === measure)?.unit ?? "";
  }
  return sensors.find(({ sensor_tag }) => sensor_tag === tag)?.source_unit ?? "";
}

/** A curve of values over time. */
export type Curve = { readonly instants: Float64Array; readonly values: Float64Array };

/** A curve by the least and the greatest value of each of so many slots: no peak is lost. */
export function envelope({ instants, values }: Curve, slots: number): Curve {
  const length = instants.length;
  if (length <= slots * 2) return { instants, values };
  const kept: number[] = [];
  for (let slot = 0; slot < slots; slot++) {
    const from = Math.floor(slot * length / slots);
    const to = Math.floor((slot + 1) * length / slots);
    let [least, most] = [from, from];
    for (let i = from; i < to; i++) {
      if (!(values[i] >= values[least])) least = i;
      if (!(values[i] <= values[most])) most = i;
    }
    kept.push(...new Set(least < most ? [least, most] : [most, least]));
  }
  return {
    instants: Float64Array.from(kept, (i) => instants[i]),
    values: Float64Array.from(kept, (i) => values[i]),
  };
}
