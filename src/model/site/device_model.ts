// What a device model says of status codes, event bits and alarm points: what each means.
import type { State } from "../availability/availability.ts";
import type { AlarmPoint, Device, DeviceModel } from "../plant/plant.ts";
import type { CodesEntry, PointsEntry } from "./file_device.ts";

/** States by status code, and by bit of the event word; what is not in them says nothing. */
export type Codes = {
  readonly status: ReadonlyMap<number, State>;
  readonly events: ReadonlyMap<number, State>;
};

type CodeTable = Readonly<Record<string, State>>;

/**
 * SunSpec inverter models 101 to 113, point `St`. Silent are 1 off, 2 sleeping, 3 starting,
 * 6 shutting down and 8 standby: an inverter is so every night, and what keeps it so by day is
 * for other evidence to say.
 */
const sunspec_status: CodeTable = {
  4: "full_capability", // tracking the maximum power point
  5: "partial_capability", // throttled
  7: "forced_outage", // fault
};

/** The same models, point `Evt1`. */
const sunspec_events: CodeTable = {
  0: "forced_outage", // ground fault
  1: "forced_outage", // DC over voltage
  2: "forced_outage", // AC disconnect open
  3: "dc_side_outage", // DC disconnect open
  4: "out_of_electrical_specification", // grid disconnect
  5: "forced_outage", // cabinet open
  6: "requested_shutdown", // manual shutdown
  7: "out_of_environmental_specification", // over temperature
  8: "out_of_electrical_specification", // over frequency
  9: "out_of_electrical_specification", // under frequency
  10: "out_of_electrical_specification", // AC over voltage
  11: "out_of_electrical_specification", // AC under voltage
  12: "dc_side_outage", // blown string fuse
  13: "out_of_environmental_specification", // under temperature
  14: "forced_outage", // memory or communication error
  15: "forced_outage", // hardware test failure
};

/** The device model that a device names, among those of any sites. */
export function modelOf(
  { site_no, device_model }: Device,
  models: readonly DeviceModel[],
): DeviceModel | undefined {
  if (device_model === null) return undefined;
  return models.find((model) => model.site_no === site_no && model.key === device_model);
}

/** What the codes of a device mean by its device model; empty where that is silent. */
export function codesOf(device: Device, models: readonly DeviceModel[]): Codes {
  const model = modelOf(device, models);
  return {
    status: statesOf(model?.status, sunspec_status),
    events: statesOf(model?.events, sunspec_events),
  };
}

/** The JSON of a meaning of codes, the same for the same meaning; null for one that is silent. */
export function codesText(entry: CodesEntry | undefined): string | null {
  if (entry === undefined) return null;
  if (typeof entry === "string") return JSON.stringify(entry);
  const rising = Object.entries(entry).sort(([a], [b]) => Number(a) - Number(b));
  return rising.length === 0 ? null : JSON.stringify(Object.fromEntries(rising));
}

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

function statesOf(text: string | null | undefined, sunspec: CodeTable): Map<number, State> {
  if (!text) return new Map();
  const entry = JSON.parse(text) as CodesEntry;
  const table = entry === "sunspec" ? sunspec : entry;
  return new Map(Object.entries(table).map(([code, state]) => [Number(code), state]));
}
