// What one difference between a site file and the plant does to what is worked out of a site.
import { type MeasureName, power_setpoints, rate_of } from "../../model/plant/measure.ts";
import type { PlantRows, SiteState } from "../../store/site/site.ts";
import type { Diff } from "./change.ts";

/** What the expected power of a whole site hangs on. */
const feeds: ReadonlySet<MeasureName> = new Set<MeasureName>([
  "active_power",
  "dc_power",
  "poa_front",
  "ghi",
  "dni",
  "dhi",
  "ambient_temp",
  "temp",
  "module_temp_back",
  "windspeed",
  ...power_setpoints,
]);

const standing_fields = ["type", "parent_device_id", "block_id", "device_model", "pv", "grid"];

/** Whether a difference changes expected values beyond the minutes of the tags it is about. */
export function touchesModels(diff: Diff): boolean {
  const changes = changesOf(diff);
  switch (diff.kind) {
    case "device":
      if (diff.action === "update") return changes(...standing_fields);
      return diff.row.type === "inverter";
    case "device_model":
      return changes("pv");
    case "sensor":
      // A new weather station or setpoint tells of its own minutes only; one inverter more is in
      // every sum, and what is gone is missing everywhere.
      if (diff.action === "create") return diff.row.measure === "active_power";
      return feeds.has(diff.row.measure) &&
        (diff.action === "remove" || changes("block_id", "capacity"));
    case "organization":
    case "project":
    case "site":
    case "block":
    case "tag":
      return false;
  }
}

/** Whether a difference changes what the states and losses of a site's inverters are. */
export function touchesStates(diff: Diff): boolean {
  const changes = changesOf(diff);
  switch (diff.kind) {
    case "device":
      return touchesModels(diff) || changes("event_tag");
    case "device_model":
      return changes("pv", "status", "events");
    case "sensor": {
      const { measure } = diff.row;
      const speaks = feeds.has(measure) || rate_of.has(measure) ||
        measure === "operating_status" || /^(ac_|hv_|lv_)?voltage/.test(measure);
      return speaks && (diff.action !== "update" || changes("block_id", "capacity"));
    }
    case "site":
      return changes("latitude", "longitude");
    case "project":
      return changes("timezone");
    case "organization":
    case "block":
    case "tag":
      return false;
  }
}

/** Whether readings of a measure can have an expected value, or can feed one. */
export function concernsModels(measure: MeasureName): boolean {
  return feeds.has(measure) || rate_of.has(measure);
}

/**
 * The sensors of the site whose readings have an expected value or feed one; none where nothing is
 * expected or curtailed, before or after.
 */
export function modelSensors({ plant }: SiteState, wanted: PlantRows): PlantRows["sensor"] {
  const [{ site_no }] = wanted.site;
  const here = (row: { readonly site_no: number }) => row.site_no === site_no;
  const sensors = plant.sensors.filter(here);
  const expects = [...plant.devices, ...plant.device_models].filter(here)
    .concat(wanted.device, wanted.device_model).some((row) => row.pv !== null);
  const curtails = [...sensors, ...wanted.sensor].some(({ measure }) =>
    measure.startsWith("active_power_setpoint")
  );
  if (!expects && !curtails) return [];
  return sensors.filter(({ measure }) => concernsModels(measure));
}

/** Whether a difference is an update of one of some fields. */
function changesOf({ action, fields }: Diff): (...names: readonly string[]) => boolean {
  return (...names) => action === "update" && names.some((name) => fields.includes(name));
}
