// What one difference between a site file and the plant means: in words, its effects, its risks.
import type { Flaw } from "../../base/fault.ts";
import { concernsModels, model_inputs } from "../../model/expected/input.ts";
import { rate_of } from "../../model/plant/measure.ts";
import {
  plant_kinds,
  type PlantKind,
  type PlantRows,
  type SiteState,
} from "../../store/site/site.ts";
import { instantText } from "../../wire/bytes/instant.ts";

/** What a site file declares: rows of the hierarchy, and rules. */
type ChangeKind = PlantKind | "rule";
export const change_kinds: readonly [ChangeKind, ...ChangeKind[]] = ["rule", ...plant_kinds];

/** One difference between a site file and the plant. */
export type SiteChange = {
  readonly action: "create" | "update" | "remove";
  readonly kind: ChangeKind;
  /** Its key in the file; a sensor's is `tag > device measure`. */
  readonly key: string;
  /** What an update changes. */
  readonly fields: readonly string[];
  /** Whether stored results are calculated again. */
  readonly history: boolean;
};

/** Something that is done only if none of `tag_nos` holds data; else `flaw` says why not. */
export type SiteRisk = {
  readonly tag_nos: readonly number[];
  readonly flaw: Flaw;
  /** Whether only a mapping would be lost, which can be asked for: every sample stays. */
  readonly remaps: boolean;
  /** Whether something is removed; else it becomes what data of it do not fit. */
  readonly removes: boolean;
};

/** A row that differs: as it is to be, or as it was where it is removed. */
export type Diff = {
  [K in PlantKind]: {
    readonly kind: K;
    readonly action: SiteChange["action"];
    readonly row: PlantRows[K][number];
    readonly fields: readonly string[];
  };
}[PlantKind];

/** Look-ups over the plant as it was and as it is to be. */
type Scene = {
  readonly state: SiteState;
  readonly tag_names: ReadonlyMap<number, string>;
  readonly device_keys: ReadonlyMap<string, string>;
  /** Numbers of the stored tags of one project and name, in both lanes. */
  readonly lanes: ReadonlyMap<string, readonly number[]>;
  /** Numbers of the stored tags, in both lanes, that expected values of the site depend on. */
  readonly model_tags: readonly number[];
  /** Whether the site had inverters, of which states and losses may be stored. */
  readonly judged: boolean;
};

/** Fields of a device that decide what is expected of it. */
const expectation_fields = ["type", "parent_device_id", "block_id", "device_model", "pv", "grid"];

/** Fields of a sensor that decide its readings. */
const reading_fields = new Set([
  "scale",
  "offset",
  "capacity",
  "accumulation",
  "interval_s",
  "interval_at",
  "register_bits",
  "register_modulus",
]);

/** Prepares the look-ups. */
export function sceneOf(state: SiteState, wanted: PlantRows): Scene {
  const { plant } = state;
  const lanes = new Map<string, number[]>();
  for (const tag of plant.tags) {
    const name = `${tag.project_no} ${tag.sensor_tag}`;
    const numbers = lanes.get(name);
    if (numbers) numbers.push(tag.tag_no);
    else lanes.set(name, [tag.tag_no]);
  }
  const names = {
    tag_names: new Map([...plant.tags, ...wanted.tag].map((it) => [it.tag_no, it.sensor_tag])),
    lanes,
  };
  const [{ site_no }] = wanted.site;
  return {
    state,
    device_keys: new Map([...plant.devices, ...wanted.device].map((it) => [it.id, it.key])),
    ...names,
    model_tags: modelSensors(state, wanted).flatMap((it) => bothLanes(it, names)),
    judged: plant.devices.some((it) => it.site_no === site_no && it.type === "inverter"),
  };
}

/** The difference in words. */
export function changeOf(diff: Diff, scene: Scene): SiteChange {
  const { action, kind, fields } = diff;
  const history = staleTags(diff, scene).length > 0 ||
    (scene.model_tags.length > 0 && touchesModels(diff)) ||
    (scene.judged && touchesStates(diff));
  return { action, kind, key: nameOf(diff, scene), fields, history };
}

/** The stored tags, in both lanes, whose own minutes or readings a difference changes. */
export function staleTags(diff: Diff, scene: Scene): readonly number[] {
  const { tags, sensors } = scene.state.plant;
  const changes = (field: string) => diff.action === "update" && diff.fields.includes(field);
  switch (diff.kind) {
    case "project": {
      if (!changes("timezone")) return [];
      const { project_no } = diff.row;
      return tags.filter((tag) => tag.project_no === project_no).map((tag) => tag.tag_no);
    }
    case "site": {
      if (!changes("latitude") && !changes("longitude")) return [];
      const { site_no } = diff.row;
      return sensors.filter((it) => it.site_no === site_no)
        .flatMap((it) => bothLanes(it, scene));
    }
    case "tag":
      return changes("carry_s") ? bothLanes(diff.row, scene) : [];
    case "sensor": {
      const known = diff.action !== "update" || diff.fields.some((it) => reading_fields.has(it));
      return known ? bothLanes(diff.row, scene) : [];
    }
    case "device": {
      // Its words are looked at minute by minute from now on.
      const { event_tag, site_no } = diff.row;
      const site = scene.state.plant.sites.find((it) => it.site_no === site_no);
      const known = diff.action === "create" || changes("event_tag");
      return known ? scene.lanes.get(`${site?.project_no} ${event_tag}`) ?? [] : [];
    }
    case "counter_reset": {
      // One that is only taken over from a request changes nothing.
      const known = diff.action !== "update" || changes("last_value") || changes("first_value");
      return known ? bothLanes(diff.row, scene) : [];
    }
    case "organization":
    case "block":
    case "device_model":
    case "fallback":
    case "keep_rule":
    case "source":
      return [];
  }
}

/** Whether a difference changes expected values beyond the minutes of the tags it is about. */
export function touchesModels(diff: Diff): boolean {
  const changes = changesOf(diff);
  switch (diff.kind) {
    case "device":
      if (diff.action === "update") return changes(...expectation_fields);
      return diff.row.type === "inverter" || diff.row.type.startsWith("bess");
    case "device_model":
      return changes("pv");
    case "fallback":
      return true;
    case "sensor":
      // A new weather station or setpoint changes its own minutes only. A new inverter is part of
      // every sum, its energy has a model before its first sample, and a removed sensor is missing
      // everywhere.
      if (diff.action === "create") {
        const { measure } = diff.row;
        return (rate_of.get(measure) ?? measure) === "active_power";
      }
      return model_inputs.has(diff.row.measure) &&
        (diff.action === "remove" || changes("block_id", "capacity"));
    case "organization":
    case "project":
    case "site":
    case "block":
    case "tag":
    case "counter_reset":
    case "keep_rule":
    case "source":
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
      const speaks = model_inputs.has(measure) || rate_of.has(measure) ||
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
    case "counter_reset":
    case "fallback":
    case "keep_rule":
    case "source":
      return false;
  }
}

/** The sites whose sun or wall clock a difference changes. */
export function movedSites(diff: Diff, { state }: Scene): readonly number[] {
  if (diff.action !== "update") return [];
  if (diff.kind === "site") {
    const moved = diff.fields.some((field) => field === "latitude" || field === "longitude");
    return moved ? [diff.row.site_no] : [];
  }
  if (diff.kind !== "project" || !diff.fields.includes("timezone")) return [];
  const { project_no } = diff.row;
  return state.plant.sites.filter((it) => it.project_no === project_no).map((it) => it.site_no);
}

/** The data that a difference would leave without a tag or sensor. */
export function risksOf(diff: Diff, scene: Scene): readonly SiteRisk[] {
  if (diff.kind === "tag" && diff.action === "update" && diff.fields.includes("encoding")) {
    const path = `tags[${JSON.stringify(diff.row.sensor_tag)}].encoding`;
    const message = "can't change: the tag holds samples of another encoding";
    return [{
      tag_nos: bothLanes(diff.row, scene),
      flaw: { path, message },
      remaps: false,
      removes: false,
    }];
  }
  if (diff.action !== "remove") return [];
  const remaps = diff.kind === "sensor";
  const flaw = {
    path: `${diff.kind}s[${JSON.stringify(nameOf(diff, scene))}]`,
    message: "is missing, but holds data: it can't be removed or get another key" +
      (remaps ? " unless remap is asked for" : ""),
  };
  switch (diff.kind) {
    case "block": {
      const { id } = diff.row;
      const sensors = scene.state.plant.sensors.filter((it) => it.block_id === id);
      return [{
        tag_nos: sensors.flatMap((it) => bothLanes(it, scene)),
        flaw,
        remaps,
        removes: true,
      }];
    }
    case "tag":
    case "sensor":
      return [{ tag_nos: bothLanes(diff.row, scene), flaw, remaps, removes: true }];
    case "organization":
    case "project":
    case "site":
    case "device_model":
    case "counter_reset":
    case "fallback":
    case "keep_rule":
    case "source":
    case "device":
      // A device with data has a sensor with data, which is missing then too.
      return [];
  }
}

/**
 * The sensors of the site whose readings have an expected value or feed one; none where nothing is
 * expected, curtailed or stored, before or after.
 */
function modelSensors({ plant }: SiteState, wanted: PlantRows): PlantRows["sensor"] {
  const [{ site_no }] = wanted.site;
  const here = (row: { readonly site_no: number }) => row.site_no === site_no;
  const sensors = plant.sensors.filter(here);
  const expects = [...plant.devices, ...plant.device_models].filter(here)
    .concat(wanted.device, wanted.device_model).some((row) => row.pv !== null);
  const curtails = [...sensors, ...wanted.sensor].some(({ component, measure }) =>
    measure.startsWith("active_power_setpoint") || component.startsWith("bess")
  );
  if (!expects && !curtails) return [];
  return sensors.filter(({ measure }) => concernsModels(measure));
}

function bothLanes(
  { tag_no, project_no }: { readonly tag_no: number; readonly project_no: number },
  { lanes, tag_names }: Pick<Scene, "lanes" | "tag_names">,
): readonly number[] {
  return lanes.get(`${project_no} ${tag_names.get(tag_no)}`) ?? [];
}

function nameOf({ kind, row }: Diff, { state, tag_names, device_keys }: Scene): string {
  if (kind === "tag") return row.sensor_tag;
  if (kind === "counter_reset") return `${tag_names.get(row.tag_no)} ${instantText(row.at_us)}`;
  if (kind === "keep_rule") return row.tags;
  if (kind === "fallback") {
    const site = state.plant.sites.find((it) => it.site_no === row.from_site_no)!.key;
    return row.tag_no === null ? site : `${site} > ${tag_names.get(row.tag_no)}`;
  }
  if (kind !== "sensor") return row.key;
  const { tag_no, device_id, component, measure } = row;
  const place = device_id === null ? component : device_keys.get(device_id);
  return `${tag_names.get(tag_no)} > ${place} ${measure}`;
}

/** Whether a difference is an update of one of some fields. */
function changesOf({ action, fields }: Diff): (...names: readonly string[]) => boolean {
  return (...names) => action === "update" && names.some((name) => fields.includes(name));
}
