// Sites under /admin/v1/sites: applied from a site file, listed, shown; and the organizations.
import * as z from "zod";
import { meant } from "../../base/did_you_mean.ts";
import { Fault } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { site_limits } from "../../model/site/limits.ts";
import type { Catalog } from "../../engine/catalog/catalog.ts";
import { change_kinds } from "../../engine/site/change.ts";
import { applySite, showSite } from "../../engine/site/site.ts";
import { type Grant, reaches } from "../../model/access/token.ts";
import type { Site } from "../../model/plant/plant.ts";
import { siteJsonSchema } from "../../model/site/file.ts";
import { data_media_types, readData } from "../frame/json_body.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

/** Applying, listing and showing sites. */
export function siteRoutes(services: Services): readonly Route[] {
  return [
    route({
      name: "site_put",
      method: "PUT",
      path: "/admin/v1/sites/{key}",
      summary: "Apply a site file",
      doc: "Changes a site to what the file declares, completely or not at all. Applying the " +
        "same file again changes nothing. Items that are missing in the file are removed; if one " +
        "of them has data, nothing is changed (409). A token of an organization can apply only " +
        "sites of that organization. The file declares devices, tags and derived tags (by a " +
        "formula), sensors, rules and sources.",
      scope: "admin",
      project: null,
      params: put_params,
      body: {
        media_types: data_media_types,
        limit_bytes: site_limits.file_bytes,
        doc: "A site file as JSON or TOML; its site.key must be the key in the path.",
        schema: siteJsonSchema,
      },
      answer: { kind: "json", schema: () => z.toJSONSchema(siteReportSchema) },
      handle: (context) => putSite(services, context),
    }),
    route({
      name: "sites",
      is_tagged: true,
      method: "GET",
      path: "/admin/v1/sites",
      summary: "Sites",
      doc: "Every site that the token can access, ordered by project and key.",
      scope: "admin",
      project: null,
      params: [],
      answer: { kind: "json", schema: () => z.toJSONSchema(list_schema) },
      handle: ({ grant }) => Response.json(listSites(services, grant!)),
    }),
    route({
      name: "site",
      is_tagged: true,
      method: "GET",
      path: "/admin/v1/sites/{key}",
      summary: "The site file of a site",
      doc: "The site file in effect, in its shortest form. Applying it changes nothing.",
      scope: "admin",
      project: null,
      params: [key_param],
      answer: { kind: "json", schema: siteJsonSchema },
      handle: async ({ values, grant }) => {
        const file = await showSite(services, values.key, { grant: grant! });
        if (file === undefined) throw noSite(services, { key: values.key, grant: grant! });
        return Response.json(file);
      },
    }),
  ];
}

/** Listing organizations. */
export function organizationRoutes({ catalog }: Services): readonly Route[] {
  return [
    route({
      name: "organizations",
      is_tagged: true,
      method: "GET",
      path: "/admin/v1/organizations",
      summary: "Organizations",
      doc: "Every organization that the token can access, ordered by key.",
      scope: "admin",
      project: null,
      params: [],
      answer: { kind: "json", schema: () => z.toJSONSchema(organizations_schema) },
      handle: ({ grant }) => Response.json(listOrganizations(catalog, grant!)),
    }),
  ];
}

const key_param = {
  name: "key",
  in: "path",
  kind: "text",
  required: true,
  names: "site",
  doc: "The site's key or id.",
} as const;

const put_params = [
  key_param,
  {
    name: "dry_run",
    in: "query",
    kind: "flag",
    required: false,
    default: false,
    doc: "Only show what would change.",
  },
  {
    name: "remap",
    in: "query",
    kind: "flag",
    required: false,
    default: false,
    doc: "Allow that sensors with data are removed or mapped to something else. Their rows in " +
      "the performance lane are removed; all samples stay.",
  },
] as const;

/** What applying a site file changes. */
export const siteReportSchema = z.strictObject({
  site: z.string().describe("The site's key."),
  dry_run: z.boolean(),
  changes: z.array(z.strictObject({
    action: z.enum(["create", "update", "remove"]),
    kind: z.enum(change_kinds),
    key: z.string().describe("The name of its table in the site file."),
    fields: z.array(z.string()).describe("The fields that an update changes."),
    history: z.boolean().describe("Whether stored results are computed again."),
  })).describe("Empty if the site already matches the file."),
  warnings: z.array(z.string()).optional()
    .describe(
      "What goes wrong by the changes, such as a fallback without its sensor, or a unit that is " +
        "not known.",
    ),
});

const list_schema = z.strictObject({
  sites: z.array(z.strictObject({
    site_id: z.string(),
    key: z.string(),
    name: z.string(),
    project_id: z.string(),
    project_key: z.string(),
    organization_id: z.string(),
  })),
});

type PutContext = RouteContext<typeof put_params>;

async function putSite(services: Services, { request, values, grant }: PutContext) {
  const file = await readData(request, data_media_types);
  const key = (file as { site?: { key?: unknown } } | null)?.site?.key;
  if (typeof key === "string" && key !== values.key) {
    const message = `is not the key in the path, ${values.key}`;
    throw new Fault("invalid", `site.key ${message}`, { flaws: [{ path: "site.key", message }] });
  }
  const { dry_run, remap } = values;
  const report = await applySite(services, file, { dry_run, remap, grant: grant! });
  if (!dry_run) {
    for (const warning of report.warnings ?? []) services.log.warning("{warning}", { warning });
  }
  return Response.json(report);
}

/** The refusal of a key that is none of the sites within reach. */
function noSite(
  { catalog }: Services,
  { key, grant }: { readonly key: string; readonly grant: Grant },
): Fault {
  const keys = catalog.sites.filter(({ project_no }) =>
    reaches(grant, catalog.projectByNo(project_no)!)
  ).map((site) => site.key);
  const hint = meant(key, keys) || "; GET /admin/v1/sites lists those that the token reaches";
  return new Fault("not_found", `there is no site ${key.slice(0, limits.name_length)}${hint}`);
}

function listSites({ catalog }: Services, grant: Grant): z.input<typeof list_schema> {
  const entryOf = (site: Site) => {
    const project = catalog.projectByNo(site.project_no)!;
    if (!reaches(grant, project)) return [];
    return [{
      site_id: site.id,
      key: site.key,
      name: site.name,
      project_id: project.id,
      project_key: project.key,
      organization_id: project.organization_id,
    }];
  };
  return { sites: catalog.sites.flatMap(entryOf) };
}

const organizations_schema = z.strictObject({
  organizations: z.array(z.strictObject({
    organization_id: z.string(),
    key: z.string(),
    name: z.string(),
  })),
});

function listOrganizations(
  catalog: Catalog,
  grant: Grant,
): z.input<typeof organizations_schema> {
  const reached = catalog.organizations.filter(({ id }) =>
    grant.organization_id === null || grant.organization_id === id
  );
  return {
    organizations: reached.map(({ id, key, name }) => ({ organization_id: id, key, name })),
  };
}
