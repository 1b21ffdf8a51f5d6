// Alarm points of a device model: how a site file lists them, and what each code is called.
import * as z from "zod";
import { alarm_limits } from "./limits.ts";
import { name_form } from "../data/text_form.ts";
import type { AlarmPoint, DeviceModel } from "../plant/plant.ts";

const point = z.strictObject({
  label: name_form.describe("Properties of an alarm of this point."),
  severity: name_form.optional().describe("Its severity; by default the rule's."),
  alarm_class: name_form.optional().describe("Its alarm class; by default the rule's."),
  is_nerc: z.boolean().default(false)
    .describe("Whether it is relevant to NERC compliance; it has priority over the rule."),
});

/** Alarm points: what the codes are called that a device of this make can send. */
export const points_form = z.record(
  z.string().regex(/^Error-[1-9]\d{0,14}$/, { error: "a key is Error-<number>, from Error-1" }),
  point,
).refine((points) => Object.keys(points).length <= alarm_limits.points, {
  error: `give at most ${alarm_limits.points} points`,
}).describe("Alarm points by their identifier, such as Error-17; used by rules with points.");

/** A list of alarm points as it is checked. */
type PointsEntry = z.output<typeof points_form>;

/** The JSON of a list of alarm points, the same for the same list; null for none. */
export function pointsText(entry: PointsEntry | undefined): string | null {
  const rising = Object.entries(entry ?? {})
    .sort(([a], [b]) => pointNo(a) - pointNo(b))
    .map(([key, { is_nerc, ...point }]) => [key, is_nerc ? { ...point, is_nerc } : point]);
  return rising.length === 0 ? null : JSON.stringify(Object.fromEntries(rising));
}

/** A device model's alarm points by number: `Error-17` is 17. */
export function pointsOf(model: DeviceModel | undefined): ReadonlyMap<number, AlarmPoint> {
  if (!model?.points) return new Map();
  const entries = JSON.parse(model.points) as PointsEntry;
  return new Map(
    Object.entries(entries).map(([key, { label, severity, alarm_class, is_nerc }]) => [
      pointNo(key),
      {
        label,
        severity: severity ?? null,
        alarm_class: alarm_class ?? null,
        is_nerc: is_nerc ?? false,
      },
    ]),
  );
}

function pointNo(key: string): number {
  return Number(key.slice("Error-".length));
}
