// Sensors that can't be relied on now: in what state, and as they are listed.
import type { Column, RowOf } from "../data/column.ts";
import { sample_limits } from "./limits.ts";

/** What is wrong with a sensor. */
export const health_docs = {
  ahead: "Its newest sample lies in the future: the clock of its source is wrong, or the times " +
    "that it sends are.",
  silent: "It has sent no sample for longer than its values are carried (`carry_s`), or none at " +
    "all. An amount per interval has the time of its interval beside that.",
  stuck: "An irradiance shows one value, of three samples or more, for 25 minutes or longer, as " +
    "no sky does. No expected value is computed from it in all that time.",
  dead: "An irradiance shows no light although the sun is high. It gives no expected value.",
} as const;

export type HealthState = keyof typeof health_docs;
export const health_states = Object.keys(health_docs) as [HealthState, ...HealthState[]];

/** Whether a sensor is silent, or ahead of time, by its newest sample. */
export function heardState(
  last_us: number | undefined,
  { now_us, hold_us }: { readonly now_us: number; readonly hold_us: number },
): "silent" | "ahead" | undefined {
  if (last_us === undefined || now_us - last_us > hold_us) return "silent";
  return last_us - now_us > sample_limits.ahead_us ? "ahead" : undefined;
}

/** The fields of a sensor as it is listed. */
export const health_columns = [
  {
    name: "state",
    kind: "text",
    nullable: false,
    values: health_states,
    doc: "What is wrong with it.",
  },
  { name: "hierarchy_id", kind: "text", nullable: false, doc: "The sensor." },
  { name: "sensor_tag", kind: "text", nullable: false, doc: "Its tag." },
  {
    name: "device_id",
    kind: "text",
    nullable: true,
    doc: "Its device. Null if it belongs to the site as a whole.",
  },
  { name: "device_name", kind: "text", nullable: true, doc: "Name of the device." },
  { name: "component", kind: "text", nullable: false, doc: "Component that it measures." },
  { name: "component_measure", kind: "text", nullable: false, doc: "What it measures." },
  {
    name: "since",
    kind: "instant",
    nullable: true,
    doc:
      "Silent: the time of the last sample. Stuck: the first minute with this value. Dead: the " +
      "first one without light. Ahead: when the newest sample was stored. Null if not known.",
  },
  {
    name: "last_ts",
    kind: "instant",
    nullable: true,
    doc: "Time of the newest sample. Null if it has none, or if it is not found: see since.",
  },
  {
    name: "last_value",
    kind: "float64",
    nullable: true,
    doc: "Value of the newest sample in the unit of the measure. Null if it has no number.",
  },
] as const satisfies readonly Column[];

/** A sensor as JSON has it. */
export type HealthRow = RowOf<typeof health_columns>;
