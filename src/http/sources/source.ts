// Sources under /platform/v1/sources: listed with how they do, put and removed.
import * as z from "zod";
import { putSource, removeSource } from "../../engine/sources/change.ts";
import type { SourceState } from "../../engine/devices/state.ts";
import type { Param, ParamValues } from "../../model/data/param.ts";
import { parseSource, shortSource, source_form } from "../../model/sources/form.ts";
import { source_kinds } from "../../model/sources/kind.ts";
import { source_definitions } from "../../model/sources/kinds.ts";
import { source_limits } from "../../model/sources/limits.ts";
import { type Source, source_errors, source_origins } from "../../model/sources/source.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { projectOf } from "../frame/auth.ts";
import { data_media_types, keyedBody, readData } from "../frame/json_body.ts";
import { project_param } from "../frame/param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { one_site_param, siteOf } from "../frame/site.ts";

const path = "/platform/v1/sources";

/** What each kind reads. */
const kindsText = () =>
  source_kinds.map((kind) => `\`${kind}\`: ${source_definitions[kind].documentation.reads}`).join(
    " ",
  );

/** Listing, making and removing sources. */
export function sourceRoutes(services: Services): readonly Route[] {
  const target = (values: ParamValues<typeof one_params>, author: string) => (
    { site: siteOf(services, values), key: values.key, author }
  );
  return [
    route({
      name: "sources",
      method: "GET",
      path,
      summary: "Sources and how they do",
      doc: "What the service reads by itself: the sources of all sites of a project, or of one " +
        "site, ordered by site and key, with their devices, errors and last values.",
      scope: "read",
      project: "project_id",
      params: list_params,
      answer: { kind: "json", schema: () => z.toJSONSchema(z.array(source_schema)) },
      handle: ({ values }) => Response.json(listSources(services, values)),
    }),
    route({
      name: "source_put",
      method: "PUT",
      path: `${path}/{key}`,
      summary: "Make or change a source",
      doc: "Makes or replaces a source. It is read from now on; no other source is interrupted. " +
        `409 for a source that is declared in the site file. Kinds: ${kindsText()}`,
      scope: "admin",
      project: "project_id",
      params: one_params,
      body: keyedBody(source_form, {
        doc: "The source as JSON or TOML, as in a site file; its key may be left out.",
        limit_bytes: source_limits.body_bytes,
      }),
      answer: { kind: "json", also: 201, schema: () => z.toJSONSchema(put_schema) },
      handle: async ({ request, values, grant }) => {
        const data = await readData(request, data_media_types);
        const put = await putSource(services, data, target(values, grant!.name));
        const status = put.result === "created" ? 201 : 200;
        return Response.json({ result: put.result, ...shown(services, put.source) }, { status });
      },
    }),
    route({
      name: "source_delete",
      method: "DELETE",
      path: `${path}/{key}`,
      summary: "Remove a source",
      doc: "It is read no longer; its samples stay. 409 for a source that is declared in the " +
        "site file.",
      scope: "admin",
      project: "project_id",
      params: one_params,
      answer: { kind: "json", schema: () => z.toJSONSchema(source_schema) },
      handle: async ({ values, grant }) =>
        Response.json(
          shown(services, await removeSource(services, target(values, grant!.name))),
        ),
    }),
  ];
}

const own_project = { ...project_param, doc: "Project of the site." } as const;

const list_params = [
  own_project,
  { ...one_site_param, doc: "Key or id of the site; all by default." },
] as const satisfies readonly Param[];

const one_params = [
  { name: "key", in: "path", kind: "text", required: true, doc: "The source's key." },
  own_project,
  one_site_param,
] as const satisfies readonly Param[];

const instant = z.string().nullable();

const errors_schema = z.strictObject(
  Object.fromEntries(
    Object.entries(source_errors).map(([kind, doc]) => [kind, z.int().describe(doc)]),
  ) as { readonly [K in keyof typeof source_errors]: z.ZodInt },
);

const state_schema = z.strictObject({
  since: z.string().describe("When its reading began."),
  connected: z.boolean().nullable()
    .describe("Whether all its devices answer; null as long as not all were asked."),
  last_value_at: instant.describe("Time of its newest stored value."),
  clock_ahead_s: z.number().nullable()
    .describe("Seconds by which its clock is ahead; null where it tells no times."),
  errors: errors_schema.describe("What went wrong since its reading began."),
  last_error: z.string().nullable(),
  last_error_at: instant,
  rejected: z.array(z.strictObject({
    reason: z.string(),
    count: z.int(),
    tag: z.string().nullable().describe("Tag of the first."),
    topic: z.string().nullable().describe("Topic of the first, of a broker's message."),
  })).describe("Why samples were not stored, or messages not read; the first reasons only."),
  gaps: z.array(z.strictObject({ from: z.string(), to: z.string(), reason: z.string() }))
    .describe("Spans of which values may be lost; the last of them."),
  notes: z.array(z.string()).describe("What else you should know, such as missing points."),
  devices: z.array(z.strictObject({
    name: z.string().describe("Key of the device, or where it is."),
    connected: z.boolean().nullable(),
    since: z.string().describe("Since when it is so."),
    last_answer_at: instant,
    last_error: z.string().nullable(),
    last_error_at: instant,
  })),
});

const source_schema = z.strictObject({
  site: z.string().describe("The site's key."),
  key: z.string(),
  kind: z.enum(source_kinds),
  origin: z.enum(source_origins).describe("Where the source is declared and can be changed."),
  author: z.string().nullable().describe("Name of the token; null: the site file."),
  state: state_schema.nullable().describe("How it does; null while it is not read."),
  // Written out once is enough: its form is long.
  definition: z.record(z.string(), z.unknown())
    .describe("The source without what is as by default, as a body for PUT."),
});

const put_schema = source_schema.extend({
  result: z.enum(["created", "updated", "unchanged"]).describe("What became of the source."),
});

type Shown = z.input<typeof source_schema>;

function listSources(
  services: Services,
  values: ParamValues<typeof list_params>,
): readonly Shown[] {
  const { catalog } = services;
  const { project_no } = projectOf(services, values.project_id);
  const wanted = values.site === undefined ? undefined : siteOf(services, values);
  return catalog.sources.filter(({ site_no }) =>
    catalog.site(site_no)?.project_no === project_no &&
    (wanted === undefined || wanted.site_no === site_no)
  ).map((source) => shown(services, source));
}

function shown({ catalog, sources }: Services, source: Source): Shown {
  const { key, origin, author, site_no } = source;
  const entry = parseSource(source.definition);
  const state = sources.stateOf(source);
  return {
    site: catalog.site(site_no)!.key,
    ...{ key, kind: entry.kind, origin, author },
    state: state === undefined ? null : shownState(state),
    definition: shortSource(entry),
  };
}

const textOf = (at_us: number | null) => at_us === null ? null : instantText(at_us);

function shownState(state: SourceState): z.input<typeof state_schema> {
  return {
    since: instantText(state.since_us),
    connected: state.connected,
    last_value_at: textOf(state.last_value_us),
    clock_ahead_s: state.clock.ahead_us === null ? null : state.clock.ahead_us / 1e6,
    errors: { ...state.errors },
    last_error: state.last_error?.message ?? null,
    last_error_at: textOf(state.last_error_us),
    rejected: Array.from(state.reasons, ([reason, it]) => ({ reason, ...it })),
    gaps: state.gaps.map(({ from_us, to_us, reason }) => (
      { from: instantText(from_us), to: instantText(to_us), reason }
    )),
    notes: [...state.notes],
    devices: state.devices.map((device) => ({
      name: device.name,
      connected: device.connected,
      since: instantText(device.since_us),
      last_answer_at: textOf(device.last_value_us),
      last_error: device.last_error,
      last_error_at: textOf(device.last_error_us),
    })),
  };
}
