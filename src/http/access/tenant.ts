// Organizations for administrators, and the projects that a reader's token reaches.
import { z } from "zod";
import type { Catalog } from "../../engine/catalog/catalog.ts";
import { type Grant, reaches } from "../../model/access/token.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

/** Listing organizations and projects. */
export function tenantRoutes({ catalog }: Services): readonly Route[] {
  return [
    route({
      name: "organizations",
      method: "GET",
      path: "/admin/v1/organizations",
      summary: "Organizations",
      doc: "Every organization that the token can access, ordered by key.",
      scope: "admin",
      project: null,
      params: [],
      answer: { kind: "json", schema: z.toJSONSchema(organizations_schema) },
      handle: ({ grant }) => Response.json(listOrganizations(catalog, grant!)),
    }),
    route({
      name: "projects",
      method: "GET",
      path: "/platform/v1/meta/projects",
      summary: "Projects",
      doc: "The projects that the token can access, with their sites. Other requests need these " +
        "ids.",
      scope: "read",
      project: null,
      params: [],
      answer: { kind: "json", schema: z.toJSONSchema(projects_schema) },
      handle: ({ grant }) => Response.json(listProjects(catalog, grant!)),
    }),
  ];
}

const organizations_schema = z.strictObject({
  organizations: z.array(z.strictObject({
    organization_id: z.string(),
    key: z.string(),
    name: z.string(),
  })),
});

const projects_schema = z.strictObject({
  projects: z.array(z.strictObject({
    project_id: z.string(),
    organization_id: z.string(),
    key: z.string(),
    name: z.string(),
    portfolio: z.string().nullable(),
    timezone: z.string().describe("IANA time zone of the project."),
    sites: z.array(z.strictObject({
      site_id: z.string(),
      key: z.string(),
      name: z.string(),
      latitude: z.number().describe("Degrees north."),
      longitude: z.number().describe("Degrees east."),
    })),
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

function listProjects(catalog: Catalog, grant: Grant): z.input<typeof projects_schema> {
  const reached = catalog.projects.filter((project) => reaches(grant, project));
  const sites = Map.groupBy(catalog.sites, (site) => site.project_no);
  return {
    projects: reached.map((project) => ({
      project_id: project.id,
      organization_id: project.organization_id,
      key: project.key,
      name: project.name,
      portfolio: project.portfolio,
      timezone: project.timezone,
      sites: (sites.get(project.project_no) ?? []).map((site) => ({
        site_id: site.id,
        key: site.key,
        name: site.name,
        latitude: site.latitude,
        longitude: site.longitude,
      })),
    })),
  };
}
