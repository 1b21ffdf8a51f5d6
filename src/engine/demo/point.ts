// A tag of the demo's plant: its unit, rhythm and mapping, and how to read it off the plant.
import type { MeasureName } from "../../model/plant/measure.ts";
import type { Encoding } from "../../model/plant/plant.ts";
import type { DemoPlant } from "./plant.ts";

/** One tag of the demo. */
export type Point = {
  readonly tag: string;
  readonly device: string;
  readonly unit: string | null;
  readonly encoding: Encoding;
  readonly class: "measurement" | "alarms";
  /** Seconds between samples in the history; the live stream runs sixty times as fine. */
  readonly every_s: number;
  /** Null: in the raw lane only. */
  readonly measure: MeasureName | null;
  readonly scale?: number;
  readonly offset?: number;
  readonly capacity?: number;
  readonly register_bits?: number;
  readonly counter?: true;
  /** A second sensor that integrates the same tag. */
  readonly integral?: MeasureName;
  /** The incidents that can befall it: those of this inverter, block or met station (from 0). */
  readonly inverter?: number;
  readonly met?: number;
  /** A number, or the code of a word in `words`. */
  readonly read: (plant: DemoPlant) => number;
  readonly words?: readonly string[];
};

/** `INV-07` for the seventh inverter, counted from 0. */
export function deviceKey(kind: string, index: number): string {
  return `${kind}-${String(index + 1).padStart(2, "0")}`;
}

/** A point still without what most points have in common. */
export type Draft = Omit<Point, "device" | "class" | "encoding" | "tag"> & Partial<Point> & {
  readonly name: string;
};

/** A draft on a device; unless it says otherwise a float measurement. */
export function on(device: string, { name, ...draft }: Draft): Point {
  return { tag: `${device}.${name}`, device, class: "measurement", encoding: "float", ...draft };
}

/** 0, 1, … up to `count`. */
export function times(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i);
}
