// Looks for SunSpec devices at an address, and proposes the part of a site file that reads them.
import { limits } from "../../base/limits.ts";
import type { ComponentName, MeasureName } from "../../model/plant/measure.ts";
import type { SiteInput } from "../../model/site/file.ts";
import type { SourceInput } from "../../model/sources/form.ts";
import { source_limits } from "../../model/sources/limits.ts";
import { blocksOf, Registers, type Run } from "../../wire/sources/modbus.ts";
import { isCode, type PlacedPoint } from "../../wire/sources/sunspec.ts";
import { isBehindGateway, type ModbusClient, UnitFault } from "./modbus_client.ts";
import { runsOf, sunspecValueIn } from "./modbus_point.ts";
import { findSunSpec, type SunSpecDevice } from "./sunspec.ts";

/** What a unit answered. */
export type FoundUnit = {
  readonly unit: number;
  /** Undefined where it answers, but not with SunSpec. */
  readonly sunspec?: SunSpecDevice;
  /** The values of its points that have one, by path. */
  readonly values: ReadonlyMap<string, number | bigint | string>;
};

/**
 * Looks at one unit; undefined where nobody answers. Throws what ends the connection.
 */
export async function lookAtUnit(
  client: ModbusClient,
  unit: number,
): Promise<FoundUnit | undefined> {
  const read = (address: number, count: number) =>
    client.read({ unit, table: "holding", address, count });
  try {
    const sunspec = await findSunSpec(read, {});
    if (sunspec === undefined) return { unit, values: new Map() };
    const points = sunspec.models.flatMap((it) => it.points);
    const wanted = points.flatMap((point) => Object.values(runsOf(point)));
    const registers = await readRuns(client, unit, wanted);
    const values = points.flatMap((point) => {
      const value = sunspecValueIn(registers, point);
      return value === undefined ? [] : [[point.path, value] as const];
    });
    return { unit, sunspec, values: new Map(values) };
  } catch (error) {
    if (!(error instanceof UnitFault)) throw error;
    if (error.kind === "timeouts" || isBehindGateway(error)) return undefined;
    return { unit, values: new Map() };
  }
}

async function readRuns(
  client: ModbusClient,
  unit: number,
  wanted: readonly Run[],
): Promise<Registers> {
  const registers = new Registers();
  const shape = { joining: "gaps", most: source_limits.request_registers } as const;
  for (const block of blocksOf(wanted, shape)) {
    try {
      registers.put(block, await client.read({ ...block, unit }), 0);
    } catch (error) {
      // What can't be read of a device is not proposed.
      if (!(error instanceof UnitFault)) throw error;
    }
  }
  return registers;
}

/** What a device is called by itself; empty where it does not say. */
export function identityOf({ values }: FoundUnit): {
  readonly make: string;
  readonly model: string;
  readonly serial: string;
} {
  const text = (path: string) => String(values.get(path) ?? "").replaceAll(/\p{Cc}/gu, "");
  return { make: text("1.Mn"), model: text("1.Md"), serial: text("1.SN") };
}

/** What a point of a model is to a site. */
type Meaning = {
  readonly point: string;
  readonly tag: string;
  readonly measure?: MeasureName;
  readonly counter?: true;
  readonly slow?: true;
  readonly component?: ComponentName;
};

/** Devices that models are of. */
type Role = {
  readonly models: readonly number[];
  readonly type: ComponentName;
  readonly prefix: string;
  readonly meanings: readonly Meaning[];
};

const value = (point: string, tag: string, measure: MeasureName): Meaning => (
  { point, tag, measure }
);
const slow = (point: string, tag: string, measure: MeasureName): Meaning => (
  { point, tag, measure, slow: true }
);
const counter = (point: string, tag: string, measure: MeasureName): Meaning => (
  { point, tag, measure, slow: true, counter: true }
);

const roles: readonly Role[] = [
  {
    models: [101, 102, 103, 111, 112, 113],
    type: "inverter",
    prefix: "INV",
    meanings: [
      value("W", "p_w", "active_power"),
      counter("WH", "e_wh", "energy"),
      value("VAr", "q_var", "reactive_power"),
      value("VA", "s_va", "apparent_power"),
      value("A", "i_a", "ac_current"),
      value("PhVphA", "u_an_v", "ac_voltage_an"),
      value("PhVphB", "u_bn_v", "ac_voltage_bn"),
      value("PhVphC", "u_cn_v", "ac_voltage_cn"),
      value("Hz", "f_hz", "frequency"),
      value("DCW", "dc_w", "dc_power"),
      value("DCA", "dc_a", "dc_current"),
      value("DCV", "dc_v", "dc_voltage"),
      slow("TmpCab", "cabinet_c", "cabinet_temp"),
      value("St", "status", "operating_status"),
      { point: "Evt1", tag: "events" },
    ],
  },
  {
    models: [701],
    type: "inverter",
    prefix: "INV",
    meanings: [
      value("W", "p_w", "active_power"),
      counter("TotWhInj", "e_wh", "energy"),
      value("Var", "q_var", "reactive_power"),
      value("VA", "s_va", "apparent_power"),
      value("A", "i_a", "ac_current"),
      value("Hz", "f_hz", "frequency"),
      slow("TmpCab", "cabinet_c", "cabinet_temp"),
      value("InvSt", "status", "operating_status"),
      { point: "Alrm", tag: "events" },
    ],
  },
  {
    models: [201, 202, 203, 204, 211, 212, 213, 214],
    type: "meter",
    prefix: "MTR",
    meanings: [
      value("W", "p_w", "active_power"),
      counter("TotWhExp", "export_wh", "active_energy_delivered"),
      counter("TotWhImp", "import_wh", "active_energy_received"),
      value("VAR", "q_var", "reactive_power"),
      value("VA", "s_va", "apparent_power"),
      value("A", "i_a", "ac_current"),
      value("PhV", "u_v", "ac_voltage"),
      value("Hz", "f_hz", "frequency"),
    ],
  },
  {
    models: [302, 303, 307, 308],
    type: "met",
    prefix: "MET",
    meanings: [
      value("GHI", "ghi", "ghi"),
      value("repeating:1.GHI", "ghi", "ghi"),
      value("repeating:1.POAI", "poa", "poa_front"),
      value("repeating:1.DNI", "dni", "dni"),
      value("temp:1.TmpBOM", "module_c", "module_temp_back"),
      value("TmpBOM", "module_c", "module_temp_back"),
      value("TmpAmb", "ambient_c", "ambient_temp"),
      value("RH", "humidity", "rh"),
      value("WndSpd", "wind", "windspeed"),
    ],
  },
  {
    models: [802, 713],
    type: "bess",
    prefix: "BESS",
    meanings: [value("SoC", "soc", "soc"), slow("SoH", "soh", "soh")],
  },
];

/** A device's rated power, by the first of these that it has. */
const ratings = ["120.WRtg", "702.WMaxRtg", "121.WMax"];

/** A point that is proposed, where it is, and what it means. */
type Proposed = Meaning & { readonly path: string; readonly placed: PlacedPoint };

/** A device that is proposed. */
type ProposedDevice = {
  readonly key: string;
  readonly unit: number;
  readonly role: Role;
  readonly points: readonly Proposed[];
  readonly rated_w: number | undefined;
  readonly make: string;
};

/** The tables of a site file that are proposed. */
export type Proposal =
  & Required<Pick<SiteInput, "device_models" | "devices" | "sensors">>
  & { readonly sources: readonly Extract<SourceInput, { readonly kind: "modbus" }>[] };

/** The part of a site file that reads what was found at an address. */
export function proposalOf(
  found: readonly FoundUnit[],
  place: {
    readonly host: string;
    readonly port: number;
    readonly transport: "tcp" | "rtu";
    readonly delay_ms: number;
  },
): Proposal {
  const devices = found.flatMap(devicesOf);
  const maps = new Map<string, { readonly key: string; readonly points: Map<string, Proposed> }>();
  const mapOf = ({ role, make, points }: ProposedDevice) => {
    const models = new Set(points.map(({ path }) => path.split(".")[0]));
    const kind = `${make} ${role.type} ${[...models].join(" ")}`.trim();
    const known = maps.get(kind) ?? { key: kind, points: new Map() };
    maps.set(kind, known);
    for (const point of points) known.points.set(point.path, point);
    return known;
  };
  const by_device = devices.map((device) => ({ device, map: mapOf(device) }));
  const inverters = by_device.filter(({ device }) => device.role.type === "inverter");
  const is_new = (role: Role) => role.models.includes(701);
  const model_keys = new Map(
    inverters.map(({ device }) => [modelKey(device), device.role] as const),
  );
  return {
    device_models: Array.from(model_keys, ([key, role]) => ({
      key,
      status: is_new(role) ? { ...running_codes } : "sunspec" as const,
      events: "sunspec" as const,
    })),
    devices: devices.map((device) => ({
      ...{ key: device.key, type: device.role.type },
      ...(device.role.type !== "inverter" ? {} : {
        device_model: modelKey(device),
        event_tag: `${device.key}.events`,
      }),
    })),
    sensors: devices.flatMap(sensorsOf),
    sources: [{
      key: `modbus-${place.host.replaceAll(/[^A-Za-z0-9]/g, "-")}`.slice(0, limits.key_length),
      kind: "modbus",
      ...place,
      maps: Array.from(maps.values(), ({ key, points }) => ({
        key,
        points: Array.from(points.values(), ({ path, tag, slow }) => ({
          tag: `{device}.${tag}`,
          sunspec: path,
          ...(slow ? { poll: "slow" as const } : {}),
        })),
      })),
      units: by_device.map(({ device, map }) => (
        { unit: device.unit, map: map.key, device: device.key }
      )),
    }],
  };
}

/** What `InvSt` of model 701 means: its numbers are others than those of `St`. */
const running_codes = {
  "3": "full_capability",
  "4": "partial_capability",
  "6": "forced_outage",
} as const;

function modelKey({ make, role }: ProposedDevice): string {
  return make || `SunSpec ${role.models.includes(701) ? "701" : "inverter"}`;
}

function sensorsOf({ key, role, points, rated_w }: ProposedDevice): SiteInput["sensors"] & object {
  return points.flatMap(({ tag, measure, counter, component }) => {
    if (measure === undefined) return [];
    const is_rated = /^(active_power|energy|active_energy_\w+)$/.test(measure);
    return [{
      ...{ tag: `${key}.${tag}`, device: key, measure },
      ...(component && component !== role.type ? { component } : {}),
      ...(is_rated && rated_w !== undefined && rated_w > 0 ? { capacity: rated_w } : {}),
      ...(counter ? { accumulation: "counter" as const } : {}),
    }];
  });
}

/** The devices of a unit: one for each model that is of one, with what stands behind it. */
function devicesOf(found: FoundUnit): readonly ProposedDevice[] {
  const { unit, sunspec, values } = found;
  const { make, model } = identityOf(found);
  const made: (Omit<ProposedDevice, "points"> & { points: Proposed[] })[] = [];
  const counts = new Map<string, number>();
  const rating = ratings.map((path) => values.get(path)).find((it) => typeof it === "number");
  for (const { id, points } of sunspec?.models ?? []) {
    const there = points.filter(({ path }) => values.has(path));
    const role = roles.find(({ models }) => models.includes(id));
    if (role !== undefined) {
      const proposed = proposedOf(role, there);
      // One weather station has several models, and so has one battery.
      const last = made.find((it) => it.role === role);
      if (last && (role.type === "met" || role.type === "bess")) {
        const tags = new Set(last.points.map(({ tag }) => tag));
        last.points.push(...proposed.filter(({ tag }) => !tags.has(tag)));
        continue;
      }
      const count = (counts.get(role.prefix) ?? 0) + 1;
      counts.set(role.prefix, count);
      const key = `${role.prefix}-${unit}${count === 1 ? "" : `-${count}`}`;
      const rated_w = role.type === "inverter" && typeof rating === "number" ? rating : undefined;
      const named = `${make} ${model}`.trim();
      made.push({ key, unit, role, points: proposed, rated_w, make: named });
    }
    const inverter = made.findLast((it) => it.role.type === "inverter");
    if (id === 160) inverter?.points.push(...mppts(there));
  }
  return made.filter(({ points }) => points.length > 0);
}

function proposedOf(role: Role, there: readonly PlacedPoint[]): Proposed[] {
  return role.meanings.flatMap((meaning) => {
    const placed = there.find(({ path }) => path.slice(path.indexOf(".") + 1) === meaning.point);
    return placed === undefined ? [] : [{ ...meaning, path: placed.path, placed }];
  });
}

/** The strings of an inverter. */
function mppts(there: readonly PlacedPoint[]): readonly Proposed[] {
  const measures = { DCA: "dc_current", DCV: "dc_voltage", DCW: "dc_power" } as const;
  return there.flatMap((placed) => {
    const [, number, point] = /\.module:(\d+)\.(DCA|DCV|DCW)$/.exec(placed.path) ?? [];
    if (number === undefined || isCode(placed.point)) return [];
    const tag = `mppt${number}_${point.toLowerCase()}`;
    const measure = measures[point as keyof typeof measures];
    return [{ ...{ point, tag, measure, path: placed.path, placed }, component: "mppt" as const }];
  });
}
