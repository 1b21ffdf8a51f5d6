// A PV device's parameters for its expected power, and what limits the grid side of a plant.
import { type Device, type DeviceModel, modelOf } from "../plant/plant.ts";
import {
  type GridEntry,
  pv_defaults,
  pv_form,
  type PvEntry,
  temperature_form,
  tracker_form,
} from "./pv_form.ts";

/** How a plane of modules stands: fixed, or turning about one axis. Angles in degrees. */
export type Mount =
  | {
    readonly kind: "fixed";
    /** 0 lies flat, 90 stands upright. */
    readonly tilt: number;
    /** Clockwise from north: 90 is east, 180 south. */
    readonly azimuth: number;
  }
  | {
    readonly kind: "tracker";
    readonly axis_tilt: number;
    readonly axis_azimuth: number;
    /** The farthest rotation to both sides. */
    readonly max_angle: number;
    readonly backtrack: boolean;
    /** Module width over row distance, 0 to 1; only backtracking uses it. */
    readonly ground_cover: number;
  };

/** Cell temperature from irradiance, air and wind. Sources: Faiman 2008, King 2004, PVsyst. */
type Temperature =
  | { readonly kind: "faiman"; readonly u0: number; readonly u1: number }
  | {
    readonly kind: "sapm";
    readonly a: number;
    readonly b: number;
    readonly delta_t: number;
  }
  | {
    readonly kind: "pvsyst";
    readonly u_c: number;
    readonly u_v: number;
    readonly module_efficiency: number;
    readonly absorption: number;
  };

/** Everything the expected power of a PV device is computed from, every default filled in. */
export type PvParams = {
  /** Of its modules at standard test conditions, W. */
  readonly rated_dc_w: number;
  /** Of its inverter, W. */
  readonly rated_ac_w: number;
  /** Temperature coefficient of power, 1/K, at most 0. */
  readonly gamma: number;
  /** What is lost between modules and inverter, 0 to 1. */
  readonly losses: number;
  /** Nominal efficiency of the inverter, 0 to 1. */
  readonly efficiency: number;
  /** Instead of PVWatts' curve: efficiency by load (DC over rated DC input), rising loads. */
  readonly efficiency_curve: readonly (readonly [load: number, efficiency: number])[] | null;
  /** Null: only irradiance that was measured in the plane of array counts. */
  readonly mount: Mount | null;
  readonly transposition: "hay_davies" | "isotropic";
  /** Reflectance of the ground, 0 to 1. */
  readonly albedo: number;
  readonly temperature: Temperature;
};

/** What a block, feeder, transformer, meter or the system does to the power below it. */
export type GridParams = {
  /** Lost between what is below and its terminals, 0 to 1. */
  readonly losses: number;
  /** The most that it may or can pass on, W. */
  readonly limit_w: number | null;
  /** Of its terminals; a voltage under half of it is a grid outage for what is below. */
  readonly nominal_voltage_v: number | null;
};

/**
 * What the expected power of a device is computed from: its own parameters over its device
 * model's over the defaults. Null for a device of which neither says any. `models` are those of
 * any sites.
 */
export function pvOf(device: Device, models: readonly DeviceModel[]): PvParams | null {
  const under = pvEntry(modelOf(device, models)?.pv);
  const own = pvEntry(device.pv);
  if (under === undefined && own === undefined) return null;
  const merged = { ...pv_defaults, ...mergePv(own, under) };
  return {
    rated_dc_w: merged.rated_dc_w!,
    rated_ac_w: merged.rated_ac_w!,
    gamma: merged.gamma,
    losses: merged.losses,
    efficiency: merged.efficiency,
    efficiency_curve: merged.efficiency_curve ?? null,
    mount: mountOf(merged),
    transposition: merged.transposition,
    albedo: merged.albedo,
    temperature: temperatureOf(merged.temperature),
  };
}

/** What a device does to the power below it; nothing where its text is silent. */
export function gridOf(device: Device): GridParams {
  const entry = JSON.parse(device.grid ?? "{}") as Partial<GridEntry>;
  return { losses: 0, limit_w: null, nominal_voltage_v: null, ...entry };
}

/**
 * One table of parameters over another, field by field; a nested table counts as one field, and
 * how modules stand (tilt and azimuth, or a tracker) as one choice.
 */
export function mergePv(over: PvEntry = {}, under: PvEntry = {}): PvEntry {
  const { tilt, azimuth, tracker, ...rest } = said(under);
  const own = said(over);
  const turns = own.tracker !== undefined;
  const stands = own.tilt !== undefined || own.azimuth !== undefined;
  return said({
    ...rest,
    ...(turns ? {} : { tilt, azimuth }),
    ...(stands ? {} : { tracker }),
    ...own,
  });
}

/**
 * The JSON of parameters, the same for the same meaning: without what holds anyway by `under`
 * (its device model's) and the defaults. Null where nothing is left.
 */
export function pvText(entry: PvEntry | undefined, under?: PvEntry): string | null {
  if (entry === undefined) return null;
  const usual: PvEntry = { ...pv_defaults, ...mergePv({}, under) };
  const names = Object.keys(pv_form.shape) as (keyof PvEntry)[];
  const fields = names.map((name) => [name, entry[name]] as const)
    .filter(([name, value]) => JSON.stringify(value ?? usual[name]) !== JSON.stringify(usual[name]))
    .map(([name, value]) => [name, shortOf(value)]);
  return fields.length === 0 ? null : JSON.stringify(Object.fromEntries(fields));
}

/** The JSON of what stands between a device and the grid; null where nothing does. */
export function gridText(entry: GridEntry | undefined): string | null {
  if (entry === undefined) return null;
  const { losses, limit_w, nominal_voltage_v } = entry;
  const text = JSON.stringify({ losses: losses || undefined, limit_w, nominal_voltage_v });
  return text === "{}" ? null : text;
}

/** Parameters as their JSON has them, nested tables complete; undefined for none. */
function pvEntry(text: string | null | undefined): PvEntry | undefined {
  return text ? pv_form.parse(JSON.parse(text)) : undefined;
}

/** The fields that have a value. */
function said(entry: PvEntry): PvEntry {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
}

/** A nested table without its defaults, anything else as it is. */
function shortOf(value: PvEntry[keyof PvEntry]): unknown {
  if (typeof value !== "object" || Array.isArray(value)) return value;
  const usual: Readonly<Record<string, unknown>> = "model" in value
    ? { ...temperature_form.parse({ model: value.model }), model: undefined }
    : tracker_form.parse({});
  return Object.fromEntries(Object.entries(value).filter(([name, it]) => it !== usual[name]));
}

function mountOf({ tilt, azimuth, tracker }: PvEntry): Mount | null {
  if (tracker !== undefined) return { kind: "tracker", ...tracker };
  return tilt === undefined || azimuth === undefined ? null : { kind: "fixed", tilt, azimuth };
}

function temperatureOf({ model, ...numbers }: NonNullable<PvEntry["temperature"]>): Temperature {
  return { kind: model, ...numbers } as Temperature;
}
