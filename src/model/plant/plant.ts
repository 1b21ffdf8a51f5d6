// The nouns of tenancy and of a plant's hierarchy, as the service keeps them in memory.
import { oneOf, oneOfOrNull, type PlainRow } from "../data/row.ts";
import { component_names, measure_names } from "./measure.ts";

/** Owner of projects. `id` is a UUIDv7; `key` is the site file's name for it. */
export const organization_table = {
  id: "text",
  key: "text",
  name: "text",
} as const;

/** Owner of projects. `id` is a UUIDv7; `key` is the site file's name for it. */
export type Organization = PlainRow<typeof organization_table>;

/** A project: the tenant of all data. `project_no` is its number inside the database. */
export const project_table = {
  project_no: "int32",
  id: "text",
  organization_id: "text",
  key: "text",
  name: "text",
  portfolio: "text?",
  /** An IANA zone; local days and bucket labels are its wall clock. */
  timezone: "text",
} as const;

/** A project: the tenant of all data. `project_no` is its number inside the database. */
export type Project = PlainRow<typeof project_table>;

/** A place with a sun: degrees north and east. */
export const site_table = {
  site_no: "int32",
  id: "text",
  project_no: "int32",
  key: "text",
  name: "text",
  latitude: "float64",
  longitude: "float64",
} as const;

/** A place with a sun: degrees north and east. */
export type Site = PlainRow<typeof site_table>;

export const block_table = {
  id: "text",
  site_no: "int32",
  key: "text",
  name: "text",
} as const;

export type Block = PlainRow<typeof block_table>;

export const device_table = {
  id: "text",
  site_no: "int32",
  /** The source system's key; unique in its project. */
  key: "text",
  name: "text",
  type: "text",
  parent_device_id: "text?",
  block_id: "text?",
  /** Key of its device model, whose words hold where its own are silent. */
  device_model: "text?",
  /** Name of the tag of its event word, which its device model's `events` tell. */
  event_tag: "text?",
  /** JSON: a PV device's parameters, a grid device's limits (read by `model/expected/pv.ts`). */
  pv: "text?",
  grid: "text?",
} as const;

export type Device = PlainRow<typeof device_table>;

/** What devices of one make have in common; its texts are JSON. */
export const device_model_table = {
  id: "text",
  site_no: "int32",
  key: "text",
  pv: "text?",
  status: "text?",
  events: "text?",
  /** Its alarm points by identifier. */
  points: "text?",
} as const;

/** What devices of one make have in common; its texts are JSON. */
export type DeviceModel = PlainRow<typeof device_model_table>;

/** An alarm point of a device model; what it does not say is the rule's. */
export type AlarmPoint = {
  readonly label: string;
  readonly severity: string | null;
  readonly alarm_class: string | null;
  readonly is_nerc: boolean;
};

export const encodings = ["float", "integer", "string"] as const;
export type Encoding = typeof encodings[number];

/** Which stream of a source's values a tag holds: what it measured, or what a model expects. */
export const tag_lanes = ["signal", "model"] as const;
export type TagLane = typeof tag_lanes[number];

/** What a source sends under one name. Identity: (project_no, lane, sensor_tag). */
export const tag_table = {
  tag_no: "int32",
  project_no: "int32",
  lane: oneOf(tag_lanes),
  sensor_tag: "text",
  /** Open set, for example `alarms` or `measurement`. */
  tag_class: "text?",
  /** Null until declared or until the first sample with a value. */
  encoding: oneOfOrNull(encodings),
  /** The unit that the source reports. */
  unit: "text?",
  /** How long a value is carried over minutes without samples. */
  carry_s: "int32",
  /** Source system's device of the tag, where the source named one. */
  device_key: "text?",
  device_name: "text?",
  /** Declared in a site file; false for a tag that a source sent first. */
  declared: "bool",
  /** What it is computed from (`derivedText`); null for a tag that is sent. */
  derived: "text?",
} as const;

/** What a source sends under one name. Identity: (project_no, lane, sensor_tag). */
export type Tag = PlainRow<typeof tag_table>;

/** Where a sensor's amount comes from: a register, amounts per interval, or a rate to integrate. */
export const accumulations = ["counter", "interval", "none"] as const;

/** A tag mapped to a device: a row of the site hierarchy. */
export const sensor_table = {
  sensor_no: "int32",
  hierarchy_id: "text",
  project_no: "int32",
  site_no: "int32",
  tag_no: "int32",
  /** Null when the tag sits under the site root. */
  device_id: "text?",
  block_id: "text?",
  sentinel_tag: "text",
  component: oneOf(component_names),
  measure: oneOf(measure_names),
  scale: "float64",
  offset: "float64",
  /** Rated power in W, or energy capacity in Wh for storage measures; null when not known. */
  capacity: "float64?",
  accumulation: oneOf(accumulations),
  /** Length of an interval amount, and whether its `ts` marks the interval's start or end. */
  interval_s: "int32?",
  interval_at: oneOf(["start", "end"]),
  /** Bits of a counter's register, where it wraps. */
  register_bits: "int32?",
  /**
   * Whether the signals' performance lane has a row of its tag for it. False for a sensor that
   * integrates a tag which another sensor reads directly.
   */
  direct: "bool",
  /** Where a counter starts again at 0, if not after its bits; in its own unit. */
  register_modulus: "float64?",
} as const;

/** A tag mapped to a device: a row of the site hierarchy. */
export type Sensor = PlainRow<typeof sensor_table>;

/** Weather sensors of another site that stand in where those of a site tell nothing. */
export const fallback_table = {
  id: "text",
  site_no: "int32",
  /** Whose sensors they are. */
  from_site_no: "int32",
  /** Only those that read this tag; null: all of them. */
  tag_no: "int32?",
} as const;

/** Weather sensors of another site that stand in where those of a site tell nothing. */
export type Fallback = PlainRow<typeof fallback_table>;

/** The device model that a device names, among those of any sites. */
export function modelOf(
  { site_no, device_model }: Pick<Device, "site_no" | "device_model">,
  models: readonly DeviceModel[],
): DeviceModel | undefined {
  if (device_model === null) return undefined;
  return models.find((model) => model.site_no === site_no && model.key === device_model);
}
