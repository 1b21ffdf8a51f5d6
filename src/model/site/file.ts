// The site file: one declaration of a site, its devices, tags and sensors, as a schema.
import * as z from "zod";
import { limits } from "../../base/limits.ts";
import { reset_form } from "../counters/reset.ts";
import { rollup_limits } from "../rollup/limits.ts";
import { retention_limits } from "../retention/limits.ts";
import { rule_limits } from "../rules/limits.ts";
import { sample_limits } from "../samples/limits.ts";
import { site_limits } from "./limits.ts";
import {
  component_names,
  type ComponentName,
  measure_names,
  type MeasureName,
} from "../plant/measure.ts";
import { retention_form } from "../retention/keep.ts";
import { rule_form } from "../rules/form.ts";
import { source_form } from "../sources/form.ts";
import { source_limits } from "../sources/limits.ts";
import { derived_form } from "../derived/derived.ts";
import { events_form, status_form } from "../availability/state_code.ts";
import { grid_form, pv_form } from "../expected/pv_form.ts";
import { points_form } from "../alarms/point.ts";
import { keysIn } from "../data/form_flaw.ts";
import { key_form as key, name_form as text, tag_form as tag_name } from "../data/text_form.ts";

const component = z.enum(component_names as readonly [ComponentName, ...ComponentName[]]);
const measure = z.enum(measure_names as readonly [MeasureName, ...MeasureName[]]);

const organization = z.strictObject({
  key: key.describe("The organization's key; a new key makes a new organization."),
  name: text.describe("Its name."),
}).describe("Owner of the project.");

const project = z.strictObject({
  key: key.describe("The project's key, unique in its organization."),
  name: text.describe("Its name."),
  portfolio: text.optional().describe("Portfolio of the project."),
  timezone: z.string().min(1).max(limits.key_length)
    .describe("Its IANA time zone, such as Europe/Madrid."),
}).describe("The tenant of all data.");

const site = z.strictObject({
  key: key.describe("The site's key, unique in the installation."),
  name: text.describe("Its name."),
  latitude: z.number().min(-90).max(90).describe("Degrees north."),
  longitude: z.number().min(-180).max(180).describe("Degrees east."),
}).describe("The site.");

const block = z.strictObject({
  key: text.describe("The block's key, unique in its site."),
  name: text.optional().describe("Its name; by default its key."),
});

const device_model = z.strictObject({
  key: text.describe("The device model's key, unique in its site."),
  pv: pv_form.optional().describe(
    "Parameters for expected power that its inverters have in common.",
  ),
  status: status_form.optional(),
  events: events_form.optional(),
  points: points_form.optional(),
});

const device = z.strictObject({
  key: text.describe("The source system's key of the device, unique in its project."),
  name: text.optional().describe("Its name; by default its key."),
  type: component.describe("Type of the device."),
  block: text.optional().describe("Key of its block; by default its parent's block."),
  parent: text.optional().describe("Key of the device above it."),
  device_model: text.optional()
    .describe(
      "Key of its device model, whose parameters are used where the device has none of its own.",
    ),
  event_tag: tag_name.optional().describe(
    "Name of the tag of its event word; the device model explains the bits. It need not be " +
      "listed in tags; its values are integers.",
  ),
  pv: pv_form.optional().describe("An inverter's parameters for expected power."),
  grid: grid_form.optional()
    .describe("Losses and limits of a system, block, feeder, transformer or meter."),
});

const tag = z.strictObject({
  name: tag_name.describe("The source system's name of the tag."),
  class: text.optional().describe("Class of the tag, such as measurement or alarms."),
  encoding: z.enum(["float", "integer", "string"]).optional()
    .describe(
      "How its values are stored. By default integer if rules use them as codes or bits, " +
        "otherwise decided by the first sample.",
    ),
  unit: text.optional().describe("The unit that the source reports."),
  carry_s: z.int().min(0).max(86_400).default(rollup_limits.carry_s)
    .describe("How long a value stays valid over minutes without samples, in seconds."),
  derived: derived_form.optional(),
  device_key: text.optional().describe(
    "The source's device key; by default the device of its sensor.",
  ),
  device_name: text.optional().describe("The source's device name; likewise."),
});

const sensor = z.strictObject({
  tag: tag_name.describe("Name of its tag; it need not be listed in tags."),
  device: text.optional().describe("Key of its device; without one it belongs to the site."),
  component: component.optional().describe("Its component; by default the type of its device."),
  measure: measure.describe("What it measures."),
  scale: z.number().default(1).describe("A value in the measure's unit is raw * scale + offset."),
  offset: z.number().default(0).describe("See scale."),
  capacity: z.number().positive().optional()
    .describe("Rated power in W, or energy capacity in Wh for a storage measure."),
  accumulation: z.enum(["counter", "interval", "none"]).default("none").describe(
    "How an amount is sent: as a rising counter, as an amount per interval, or as a rate (none).",
  ),
  interval_s: z.int().min(1).max(86_400).optional().describe("Length of an interval, in seconds."),
  interval_at: z.enum(["start", "end"]).default("start")
    .describe("Whether the time of an amount is the start or the end of its interval."),
  register_bits: z.int().min(8).max(64).optional().describe(
    "Bits of the counter, after which it starts again at 0.",
  ),
  register_modulus: z.number().min(2).max(2 ** 64).optional().describe(
    "Where the counter starts again at 0, as its tag sends it: 1000000 for a display of six " +
      "digits. Without it and register_bits, 16 and 32 bits are known.",
  ),
  sentinel_tag: text.default("default").describe("The data stream (deployment) it belongs to."),
  block: text.optional().describe("Key of its block; by default its device's block."),
});

const fallback = z.strictObject({
  site: key.describe("Key of the other site; it belongs to the same organization."),
  tag: tag_name.optional().describe(
    "Name of the tag of one of its weather sensors; by default all of them.",
  ),
});

/** The form of a site file; `z.input` is what an editor writes, `z.output` has every default. */
export const site_schema = z.strictObject({
  $schema: z.string().max(limits.name_length).optional().describe("For editors."),
  version: z.literal(1).describe("Version of this form."),
  organization,
  project,
  site,
  blocks: z.array(block).max(site_limits.blocks).default([]),
  device_models: z.array(device_model).max(site_limits.device_models).default([])
    .describe("What devices of one make have in common."),
  devices: z.array(device).max(site_limits.devices).default([]),
  tags: z.array(tag).max(sample_limits.tags_per_project).default([])
    .describe("Properties of tags. A tag without a sensor is visible in the raw lane only."),
  sensors: z.array(sensor).max(site_limits.sensors).default([])
    .describe("Tags mapped to devices: the rows of the site hierarchy."),
  fallbacks: z.array(fallback).max(site_limits.fallbacks).default([]).describe(
    "Weather of neighbours for expected power, where the site's own sensors have no healthy value.",
  ),
  retention: z.array(retention_form).max(retention_limits.rules).default([]).describe(
    "How long data of some tags are kept. Of the entries that match a tag, the first one counts.",
  ),
  counter_resets: z.array(reset_form).max(site_limits.counter_resets).default([])
    .describe("Steps of counters that are known, such as a replacement of a meter."),
  rules: z.array(rule_form).max(rule_limits.site_rules).default([])
    .describe("Alarm rules: what they watch, and when they raise an alarm."),
  sources: z.array(source_form).max(source_limits.site_sources).default([])
    .describe("Devices that are read by the service itself, and how."),
});

/** A site file as it is written: defaults may be left out. */
export type SiteInput = z.input<typeof site_schema>;

/** A site file of the right form, with every default filled in. */
export type SiteFile = z.output<typeof site_schema>;

/** JSON Schema (2020-12) of a site file, for editors. */
export function siteJsonSchema(): object {
  return {
    title: "Wattkeeper site file",
    ...z.toJSONSchema(site_schema, { io: "input", target: "draft-2020-12" }),
  };
}

/** The keys that the table at a place of the file may have; none where there is no table. */
export const knownKeys = keysIn(site_schema);
