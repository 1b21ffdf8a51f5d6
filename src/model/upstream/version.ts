// Versions of a site file: as a centre publishes them, and how each goes at a gateway.
import * as z from "zod";
import { limits } from "../../base/limits.ts";
import { oneOf, type PlainRow } from "../data/row.ts";
import { key_form } from "../data/text_form.ts";
import { upstream_limits } from "./limits.ts";

/** A version as a centre keeps it; versions are numbered from 1 in each project. */
export const site_version_table = {
  project_no: "int32",
  version: "int32",
  site_key: "text",
  /** SHA-256 of the file's JSON, in hexadecimal. */
  digest: "text",
  /** The JSON, packed. */
  content: "text",
  /** Whether sensors with data may be removed or mapped to something else. */
  remap: "bool",
  /** Name of the token that it was published with. */
  author: "text",
  published_at: "instant",
} as const;
export type SiteVersion = PlainRow<typeof site_version_table>;

/** A site whose sources are read by a gateway: by the one whose token has a name, or by any. */
export const site_gateway_table = {
  project_no: "int32",
  site_key: "text",
  gateway: "text?",
} as const;
export type SiteGateway = PlainRow<typeof site_gateway_table>;

/** A code that lets a gateway in, as a centre keeps it until it is used or over. */
export const gateway_code_table = {
  /** SHA-256 of its letters, in hexadecimal. */
  digest: "text",
  organization_id: "text?",
  /** JSON of the token that it gives. */
  request: "text",
  expires_at: "instant",
} as const;
export type GatewayCodeRow = PlainRow<typeof gateway_code_table>;

/** What becomes of a version at a gateway. */
export const version_states = {
  pulled: "The gateway has it, and has not tried it yet.",
  trying: "It is applied, and the sources have to be read again within the time of a trial.",
  in_force: "It is applied, and stays.",
  replaced: "It was in force before another one.",
  rolled_back: "It was applied, and the file before it came back; it is not tried again by itself.",
  refused: "It does not fit the gateway, and nothing of it was applied.",
} as const;
export type VersionState = keyof typeof version_states;
export const version_state_names = Object.keys(version_states) as [VersionState, ...VersionState[]];

/** What has to be read again of a source: the devices that answered before, by its key. */
export type Awaited = readonly {
  readonly source: string;
  readonly devices: readonly string[];
  /** Whether the version leaves it as it is: then its reading was never interrupted. */
  readonly is_same: boolean;
}[];

/** A version at a gateway. */
export const pulled_version_table = {
  site_key: "text",
  version: "int32",
  digest: "text",
  content: "text",
  remap: "bool",
  author: "text",
  published_at: "instant",
  state: oneOf(version_state_names),
  /** Why it was rolled back or refused. */
  reason: "text?",
  changed_at: "instant",
  /** The site file that it took the place of, packed; null for none. */
  before: "text?",
  /** Which version that was; null for one that was declared here. */
  before_version: "int32?",
  /** JSON of `Awaited`. */
  awaited: "text",
  /** How often the service has begun to try it. */
  starts: "int32",
  /** SHA-256 of the declaration that it made, to see what was changed here since. */
  applied: "text?",
} as const;
export type PulledVersion = PlainRow<typeof pulled_version_table>;

const instant_us = z.int().nonnegative();

/** What a centre offers a gateway of a site: its newest version, and what it was told of it. */
export const offer_form = z.object({
  project_id: z.string().max(limits.name_length),
  site: key_form,
  version: z.int().positive(),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  remap: z.boolean(),
  author: z.string().max(limits.name_length),
  published_us: instant_us,
  /** The instant of the gateway's last report, by its own clock; null for none. */
  told_us: instant_us.nullable(),
});
export type SiteOffer = z.output<typeof offer_form>;

/** The content of a version. */
export const content_form = z.object({
  content: z.base64().max(upstream_limits.version_bytes),
});

/** How the newest version of a site goes at a gateway. */
export const version_report_form = z.strictObject({
  site: key_form.describe("The site's key."),
  version: z.int().positive().describe("The newest version that it knows."),
  state: z.enum(version_state_names),
  reason: z.string().max(upstream_limits.reason_length).nullable()
    .describe("Why it was rolled back or refused."),
  in_force: z.int().positive().nullable()
    .describe("The version in force; null for a file that was declared at the gateway, or none."),
  held_by: z.string().max(limits.name_length).nullable()
    .describe("Who holds newer versions back at the gateway; null: nobody."),
  changed_us: instant_us.describe("Since when, by the gateway's clock: microseconds since 1970."),
});
export type VersionReport = z.output<typeof version_report_form>;

/** What a gateway tells of its versions. */
export const version_reports_form = z.strictObject({
  name: z.string().max(limits.name_length).describe("The machine's own name."),
  sites: z.array(version_report_form).max(upstream_limits.offers),
});
