// Checks what a site file says of its devices' parameters and codes; every flaw with its place.
import type { Flaw } from "../../base/fault.ts";
import { mergePv } from "../expected/pv.ts";
import type { SiteFile } from "./file.ts";
import type { PvEntry } from "./file_device.ts";

type DeviceEntry = SiteFile["devices"][number];
type ModelEntry = SiteFile["device_models"][number];

const grid_types: readonly string[] = ["system", "block", "feeder", "transformer", "meter"];

/** What is wrong with the parameters of devices and device models that are right in form. */
export function parameterFlaws(file: SiteFile): Flaw[] {
  const models = new Map(file.device_models.map((model) => [model.key, model]));
  return [
    ...file.device_models.flatMap(({ pv }, i) => mountFlaws(`device_models[${i}].pv`, pv)),
    ...file.devices.flatMap((device, i) => {
      const path = `devices[${i}]`;
      const model = models.get(device.device_model ?? "");
      return [
        ...mountFlaws(`${path}.pv`, device.pv),
        ...pvFlaws(path, device, model),
        ...gridFlaws(path, device),
      ];
    }),
    ...eventFlaws(file, models),
  ];
}

function mountFlaws(path: string, pv: PvEntry | undefined): Flaw[] {
  if (pv?.tracker === undefined) return [];
  return (["tilt", "azimuth"] as const).filter((name) => pv[name] !== undefined).map((name) => ({
    path: `${path}.${name}`,
    message: "can't be beside a tracker: modules are fixed or they turn",
  }));
}

/** What is wrong with a device's parameters over its device model's. */
function pvFlaws(path: string, { type, pv }: DeviceEntry, model?: ModelEntry): Flaw[] {
  if (pv === undefined && model?.pv === undefined) return [];
  if (type !== "inverter") {
    const place = pv === undefined ? "device_model" : "pv";
    return [{
      path: `${path}.${place}`,
      message: `PV parameters are of inverters, not of ${type}`,
    }];
  }
  const merged = mergePv(pv, model?.pv);
  const needed: [name: keyof PvEntry, message: string][] = [
    ["rated_dc_w", "is missing, here and in a device model"],
    ["rated_ac_w", "is missing, here and in a device model"],
  ];
  if (merged.tracker === undefined && merged.tilt !== undefined) {
    needed.push(["azimuth", "is missing: a tilt needs it"]);
  }
  if (merged.tracker === undefined && merged.azimuth !== undefined) {
    needed.push(["tilt", "is missing: an azimuth needs it"]);
  }
  return needed.filter(([name]) => merged[name] === undefined)
    .map(([name, message]) => ({ path: `${path}.pv.${name}`, message }));
}

function gridFlaws(path: string, { type, grid }: DeviceEntry): Flaw[] {
  if (grid === undefined || grid_types.includes(type)) return [];
  return [{ path: `${path}.grid`, message: `is only for ${grid_types.join(", ")}` }];
}

/** Each event word is one device's, has a meaning, and is kept bit by bit. */
function eventFlaws(
  { devices, tags }: SiteFile,
  models: ReadonlyMap<string, ModelEntry>,
): Flaw[] {
  const first = new Map<string, number>();
  const flaws = devices.flatMap(({ event_tag, device_model }, i): Flaw[] => {
    if (event_tag === undefined) return [];
    const path = `devices[${i}].event_tag`;
    const other = first.get(event_tag);
    if (other !== undefined) return [{ path, message: `is already the one of devices[${other}]` }];
    first.set(event_tag, i);
    const { events, points } = models.get(device_model ?? "") ?? {};
    if (events !== undefined || points !== undefined) return [];
    return [{ path, message: "has no meaning: give it a device model with events or points" }];
  });
  return [
    ...flaws,
    ...tags.flatMap(({ name, encoding = "integer" }, i): Flaw[] => {
      if (!first.has(name) || encoding === "integer") return [];
      return [{ path: `tags[${i}].encoding`, message: "give integer: the tag is an event word" }];
    }),
  ];
}
