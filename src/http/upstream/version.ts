// Site files that a centre publishes for its gateways: by people, and as gateways pull them.
import * as z from "zod";
import { Fault, refusal } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { site_limits } from "../../model/site/limits.ts";
import { siteJsonSchema } from "../../model/site/file.ts";
import type { Param } from "../../model/data/param.ts";
import { parseForm } from "../../model/data/parse_form.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import { content_form, version_reports_form } from "../../model/upstream/version.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { projectOf } from "../frame/auth.ts";
import { data_media_types, formBody, readData } from "../frame/json_body.ts";
import { project_param } from "../frame/param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { siteReportSchema } from "../plant/site.ts";

const path = "/admin/v1/gateways/sites";

/** What people publish, and what gateways are given of it. */
export function versionRoutes(services: Services): readonly Route[] {
  return [
    publishRoute(services),
    listRoute(services),
    fileRoute(services),
    diffRoute(services),
    withdrawRoute(services),
  ];
}

/** The ways of gateways. */
export function pullRoutes(services: Services): readonly Route[] {
  return [contentRoute(services), tellRoute(services)];
}

const flag = <const Name extends string>(name: Name, doc: string) => (
  { name, in: "query", kind: "flag", required: false, default: false, doc } as const
);

const version_param = {
  name: "version",
  in: "path",
  kind: "integer",
  required: true,
  minimum: 1,
  maximum: 2 ** 31 - 1,
  doc: "Number of the version.",
} as const satisfies Param;

const publish_params = [
  flag("dry_run", "Only show what would change at the centre."),
  flag(
    "remap",
    "Allow that sensors with data are removed or mapped elsewhere, here and at the gateway.",
  ),
  flag("again", "Make a new version although it says the same as the newest."),
  {
    name: "gateway",
    in: "query",
    kind: "text",
    required: false,
    doc: "Name of the token of the gateway that reads the sources. Needed where several gateways " +
      "send to the project; by default each one in reach of it.",
  },
] as const satisfies readonly Param[];

function publishRoute({ published_sites }: Services): Route {
  return route({
    name: "gateway_site_post",
    method: "POST",
    path,
    summary: "Publish a site file for a gateway",
    doc:
      "Applies a site file but for its sources, and keeps the whole as the next version of its " +
      "project: the gateway pulls it, tries it, and tells how it went. From now on the sources " +
      "of the site are never read here. 409 where the file does not fit the plant. The file that " +
      "is the newest already makes no other version.",
    scope: "admin",
    project: null,
    params: publish_params,
    faults: ["conflict"],
    body: {
      media_types: data_media_types,
      limit_bytes: site_limits.file_bytes,
      doc: "A site file as JSON or TOML, with its sources.",
      schema: siteJsonSchema,
    },
    answer: { kind: "json", schema: () => z.toJSONSchema(publication_schema()) },
    handle: async ({ request, values, grant }) => {
      const file = await readData(request, data_media_types);
      const { gateway = null, ...flags } = values;
      return Response.json(
        await published_sites.publish(file, { ...flags, gateway, grant: grant! }),
      );
    },
  });
}

function listRoute({ published_sites, catalog }: Services): Route {
  return route({
    name: "gateway_sites",
    method: "GET",
    path,
    summary: "Published site files",
    doc: "The versions of a project that are kept, the newest first: who published each and " +
      "when. How they go at gateways is under /platform/v1/gateways.",
    scope: "read",
    project: "project_id",
    params: [project_param],
    answer: { kind: "json", schema: () => z.toJSONSchema(z.array(version_schema)) },
    handle: async ({ values }) => {
      const versions = await published_sites.list(projectOf({ catalog }, values.project_id));
      return Response.json(versions.map((it): z.input<typeof version_schema> => ({
        ...{ version: it.version, site: it.site_key, digest: it.digest, author: it.author },
        published_at: instantText(it.published_at),
        is_newest: it.is_newest,
        is_offered: it.is_newest && it.site !== undefined,
        gateway: it.site?.gateway ?? null,
      })));
    },
  });
}

function fileRoute({ published_sites, catalog }: Services): Route {
  return route({
    name: "gateway_site",
    method: "GET",
    path: `${path}/{version}`,
    summary: "A published site file",
    doc: "The site file of a version, as it was published. Secrets of sources are no part of it: " +
      "it has the names of their files.",
    scope: "admin",
    project: "project_id",
    params: [version_param, project_param],
    answer: { kind: "json", schema: siteJsonSchema },
    handle: async ({ values }) => {
      const project = projectOf({ catalog }, values.project_id);
      return Response.json(await published_sites.file(project, values.version));
    },
  });
}

function diffRoute({ published_sites, catalog }: Services): Route {
  return route({
    name: "gateway_site_diff",
    method: "GET",
    path: `${path}/{version}/diff`,
    summary: "Compare published site files",
    doc: "What a version changes against another one: items by their keys, and the names of " +
      "fields. 404 for a version that is not kept.",
    scope: "read",
    project: "project_id",
    params: [version_param, project_param, {
      ...version_param,
      name: "against",
      in: "query",
      required: false,
      doc: "Number of the other version; by default the one before it of the same site.",
    }],
    answer: { kind: "json", schema: () => z.toJSONSchema(diff_schema) },
    handle: async ({ values }) => {
      const project = projectOf({ catalog }, values.project_id);
      const { version, against } = values;
      const found = await published_sites.compare(project, { version, against });
      return Response.json({ version, ...found });
    },
  });
}

function withdrawRoute({ published_sites, catalog }: Services): Route {
  return route({
    name: "gateway_site_delete",
    method: "DELETE",
    path,
    summary: "Withdraw a site from gateways",
    doc: "Offers a site's versions to no gateway any more: gateways keep what they have, and the " +
      "site can have sources here again. 404 where the site is not published.",
    scope: "admin",
    project: "project_id",
    params: [project_param, {
      name: "site",
      in: "query",
      kind: "text",
      required: true,
      names: "site",
      doc: "The site's key or id.",
    }],
    answer: { kind: "json", schema: () => z.toJSONSchema(withdrawn_schema) },
    handle: async ({ values }) => {
      const project = projectOf({ catalog }, values.project_id);
      await published_sites.withdraw(project, values.site.slice(0, limits.name_length));
      return Response.json({ site: values.site });
    },
  });
}

function contentRoute({ published_sites, catalog }: Services): Route {
  return route({
    name: "ingest_gateway_site",
    method: "GET",
    path: "/ingest/v1/gateways/sites/{version}",
    summary: "Pull a site file",
    doc: "The content of a version that a gateway is offered (POST /ingest/v1/gateways), packed. " +
      "404 for one that it is not offered.",
    scope: "ingest",
    project: "project_id",
    params: [version_param, project_param],
    answer: { kind: "json", schema: () => z.toJSONSchema(content_form) },
    handle: async ({ values, grant }) => {
      const project = projectOf({ catalog }, values.project_id);
      const { version } = values;
      const offers = await published_sites.offers(grant!, "");
      if (!offers.some((it) => it.project_id === project.id && it.version === version)) {
        throw new Fault("not_found", `the token is offered no version ${version} of this project`);
      }
      const { content } = await published_sites.content(project, version);
      return Response.json({ content });
    },
  });
}

function tellRoute({ gateways }: Services): Route {
  return route({
    name: "ingest_gateway_sites",
    method: "POST",
    path: "/ingest/v1/gateways/sites",
    summary: "Say how site files go",
    doc: "A gateway says what became of the newest version of each site that it pulls, when that " +
      "changes. /platform/v1/gateways shows it.",
    scope: "ingest",
    project: "project_id",
    params: [project_param],
    body: formBody(version_reports_form, {
      doc: "The gateway's name and its sites.",
      limit_bytes: upstream_limits.report_bytes,
    }),
    answer: { kind: "json", schema: () => z.toJSONSchema(told_schema) },
    handle: async ({ request, values, grant }) => {
      const told = parseForm(version_reports_form, await readData(request), {
        refuse: (flaws) => refusal("the report can't be understood", flaws),
      });
      gateways.report(grant!, { ...told, project_id: values.project_id });
      return Response.json({ sites: told.sites.length });
    },
  });
}

const publication_schema = () =>
  siteReportSchema.extend({
    version: z.int().nullable().describe("Its number in the project; null on a dry run."),
    result: z.enum(["published", "unchanged", "dry_run"])
      .describe("unchanged: the newest version says the same."),
  });

const version_schema = z.strictObject({
  version: z.int().describe("Its number in the project, from 1."),
  site: z.string().describe("The site's key."),
  digest: z.string().describe("SHA-256 of the file's JSON."),
  author: z.string().describe("Name of the token that it was published with."),
  published_at: z.string().describe("ISO 8601, UTC."),
  is_newest: z.boolean().describe("Whether it is the newest of its site."),
  is_offered: z.boolean().describe("Whether gateways are offered it."),
  gateway: z.string().nullable()
    .describe("Token of the only gateway that is offered it; null: each one, or none."),
}).meta({ title: "SiteVersion" });

const diff_schema = z.strictObject({
  version: z.int(),
  against: z.int(),
  changes: z.array(z.strictObject({
    action: z.enum(["create", "update", "remove"]),
    kind: z.string().describe("The name of its table in the site file."),
    key: z.string(),
    fields: z.array(z.string()).describe("The fields that an update changes."),
  })),
});

const withdrawn_schema = z.strictObject({ site: z.string() });

const told_schema = z.strictObject({ sites: z.int().describe("How many were noted.") });
