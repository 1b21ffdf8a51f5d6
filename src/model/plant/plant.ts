// The nouns of tenancy and of a plant's hierarchy, as the service keeps them in memory.
import type { ComponentName, MeasureName } from "./measure.ts";

/** Owner of projects. `id` is a UUIDv7; `key` is the site file's name for it. */
export type Organization = { readonly id: string; readonly key: string; readonly name: string };

/** A project: the tenant of all data. `project_no` is its number inside the database. */
export type Project = {
  readonly project_no: number;
  readonly id: string;
  readonly organization_id: string;
  readonly key: string;
  readonly name: string;
  readonly portfolio: string | null;
  /** An IANA zone; local days and bucket labels are its wall clock. */
  readonly timezone: string;
};

/** A place with a sun: degrees north and east. */
export type Site = {
  readonly site_no: number;
  readonly id: string;
  readonly project_no: number;
  readonly key: string;
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
};

export type Block = {
  readonly id: string;
  readonly site_no: number;
  readonly key: string;
  readonly name: string;
};

export type Device = {
  readonly id: string;
  readonly site_no: number;
  /** The source system's key; unique in its project. */
  readonly key: string;
  readonly name: string;
  readonly type: string;
  readonly parent_device_id: string | null;
  readonly block_id: string | null;
  /** Key of its device model, whose words hold where its own are silent. */
  readonly device_model: string | null;
  /** Name of the tag of its event word, which its device model's `events` tell. */
  readonly event_tag: string | null;
  /** JSON: a PV device's parameters, a grid device's limits (read by `model/expected/pv.ts`). */
  readonly pv: string | null;
  readonly grid: string | null;
};

/** What devices of one make have in common; its texts are JSON. */
export type DeviceModel = {
  readonly id: string;
  readonly site_no: number;
  readonly key: string;
  readonly pv: string | null;
  readonly status: string | null;
  readonly events: string | null;
  /** Its alarm points by identifier. */
  readonly points: string | null;
};

/** An alarm point of a device model; what it does not say is the rule's. */
export type AlarmPoint = {
  readonly label: string;
  readonly severity: string | null;
  readonly alarm_class: string | null;
  readonly is_nerc: boolean;
};

export type Encoding = "float" | "integer" | "string";

/** Which stream of a source's values a tag holds: what it measured, or what a model expects. */
export type TagLane = "signal" | "model";

/** What a source sends under one name. Identity: (project_no, lane, sensor_tag). */
export type Tag = {
  readonly tag_no: number;
  readonly project_no: number;
  readonly lane: TagLane;
  readonly sensor_tag: string;
  /** Open set, for example `alarms` or `measurement`. */
  readonly tag_class: string | null;
  /** Null until declared or until the first sample with a value. */
  readonly encoding: Encoding | null;
  /** The unit that the source reports. */
  readonly unit: string | null;
  /** How long a value is carried over minutes without samples. */
  readonly carry_s: number;
  /** Source system's device of the tag, where the source named one. */
  readonly device_key: string | null;
  readonly device_name: string | null;
  /** Declared in a site file; false for a tag that was taken up from a source. */
  readonly declared: boolean;
};

/** Where a sensor's amount comes from: a register, amounts per interval, or a rate to integrate. */
export type Accumulation = "counter" | "interval" | "none";

/** A tag mapped to a device: a row of the site hierarchy. */
export type Sensor = {
  readonly sensor_no: number;
  readonly hierarchy_id: string;
  readonly project_no: number;
  readonly site_no: number;
  readonly tag_no: number;
  /** Null when the tag sits under the site root. */
  readonly device_id: string | null;
  readonly block_id: string | null;
  readonly sentinel_tag: string;
  readonly component: ComponentName;
  readonly measure: MeasureName;
  readonly scale: number;
  readonly offset: number;
  /** Rated power in W, or energy capacity in Wh for storage measures; null when not known. */
  readonly capacity: number | null;
  readonly accumulation: Accumulation;
  /** Length of an interval amount, and whether its `ts` marks the interval's start or end. */
  readonly interval_s: number | null;
  readonly interval_at: "start" | "end";
  /** Bits of a counter's register, where it wraps. */
  readonly register_bits: number | null;
  /**
   * Whether this is the row that the signals' performance lane shows for its tag. False for a
   * sensor that integrates a tag which another sensor reads directly.
   */
  readonly direct: boolean;
};
