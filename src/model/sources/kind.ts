// What tells one kind of source from another: its form, its documentation, which tags it brings.
import * as z from "zod";
import type { Flaw } from "../../base/fault.ts";
import { key_form } from "../data/text_form.ts";
import type { Setpoint } from "../setpoints/setpoint.ts";
import { source_limits } from "./limits.ts";

/** Kinds of sources, in the order of the reference. */
export const source_kinds = ["modbus", "mqtt", "opcua", "sparkplug", "iec104"] as const;
export type SourceKind = typeof source_kinds[number];

/**
 * A kind of source, whole, but for the driver that reads it (`engine/sources/sources.ts`). Each has
 * its file in `kinds/`; the rest of the program asks it, and never for its name.
 */
export type SourceDefinition<Form extends z.ZodType> = {
  readonly form: Form;
  readonly documentation: {
    /** What it reads, in a sentence. */
    readonly reads: string;
    /** A source as a site file has it. */
    readonly example: z.input<Form>;
  };
  /** What is wrong with a source of the right form, whatever the site. */
  flawsOf(entry: z.output<Form>): readonly Flaw[];
  /** Its devices that have a key of the site, each with the place where that stands. */
  devicesOf(entry: z.output<Form>): readonly UsedName[];
  /** The tags that it brings, each with the place where that stands. */
  tagsOf(entry: z.output<Form>): readonly UsedName[];
  /** Its setpoints, where it can write; nothing for a kind that never does. */
  setpointsOf?(entry: z.output<Form>): readonly UsedSetpoint[];
};

/** A setpoint of a source, and where it stands in it. */
export type UsedSetpoint = Setpoint & { readonly path: string };

/** A name that a source uses, and where it stands in it. */
export type UsedName = { readonly name: string; readonly path: string };

/** The form of a kind's sources: its own fields behind those of every source. */
export function sourceForm<K extends SourceKind, Fields extends z.core.$ZodLooseShape>(
  kind: K,
  fields: Fields,
) {
  return z.strictObject({ ...head, kind: z.literal(kind), ...fields });
}

/** Some seconds between two readings. */
export const every_form = z.number().min(source_limits.every_least_s)
  .max(source_limits.every_most_s);

/** Where a device listens. */
export const host_form = z.string().min(1).max(253).regex(/^(?![^:]*:\d+$)[A-Za-z0-9._:-]+$/, {
  error: "give a name or an address alone, such as 10.0.0.12; the port is a key of its own",
});

export const port_form = z.int().min(1).max(65_535);

/** A file in the folder of the organization's secrets; never what is in it. */
export const secret_form = z.string().max(100).regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, {
  error: "give the name of a file in the folder of secrets, without a path",
});

const head = {
  key: key_form.describe(
    "The source's key, unique in its project; its state is sent as tags that begin with it, such " +
      "as KEY.connected.",
  ),
  enabled: z.boolean().default(true).describe("Whether the source is read."),
};
