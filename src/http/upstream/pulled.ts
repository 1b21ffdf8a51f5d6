// What people at a gateway do with the site files of its centre: hold, roll back, try once more.
import * as z from "zod";
import { Fault } from "../../base/fault.ts";
import { type Grant, reaches } from "../../model/access/token.ts";
import { version_states } from "../../model/upstream/version.ts";
import type { PulledSite } from "../../engine/versions/pulled.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { requireWholeReach } from "../frame/auth.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

const path = "/admin/v1/upstream";

/** Holding, rolling back, trying again. */
export function pulledRoutes(services: Services): readonly Route[] {
  return [...holdRoutes(services), backRoute(services), retryRoute(services)];
}

function holdRoutes({ pulled_sites }: Services): readonly Route[] {
  const common = {
    path: `${path}/hold`,
    scope: "admin",
    project: null,
    params: [],
    answer: { kind: "json", schema: () => z.toJSONSchema(hold_schema) },
  } as const;
  return [
    route({
      ...common,
      name: "upstream_hold",
      method: "POST",
      summary: "Hold newer site files",
      doc: "Applies no newer version of the centre's site files from now on; a trial that goes " +
        "on ends as it would.",
      handle: async ({ grant }) => {
        requireWholeReach(grant!);
        await pulled_sites.hold(grant!.name);
        return Response.json({ held_by: grant!.name });
      },
    }),
    route({
      ...common,
      name: "upstream_release",
      method: "DELETE",
      summary: "Let newer site files in again",
      doc: "Applies the newest version of each of the centre's site files again.",
      handle: async ({ grant }) => {
        requireWholeReach(grant!);
        await pulled_sites.release();
        return Response.json({ held_by: null });
      },
    }),
  ];
}

const site_params = [
  {
    name: "site",
    in: "path",
    kind: "text",
    required: true,
    names: "site",
    doc: "The site's key or id.",
  },
] as const;

const of_site = {
  scope: "admin",
  project: null,
  params: site_params,
  faults: ["conflict"],
  answer: { kind: "json", schema: () => z.toJSONSchema(z.array(pulled_schema)) },
} as const;

function backRoute(services: Services): Route {
  return route({
    ...of_site,
    name: "upstream_site_rollback",
    method: "POST",
    path: `${path}/sites/{site}/rollback`,
    summary: "Roll a site file back",
    doc: "Puts the file back that the site had before the centre's version in force; that " +
      "version is not tried again by itself. A newer one is, unless it is held.",
    handle: async ({ values, grant }) => {
      requireSite(services, { grant: grant!, site: values.site });
      await services.pulled_sites.rollBack(values.site, grant!.name);
      return Response.json(await shownSites(services, grant!));
    },
  });
}

function retryRoute(services: Services): Route {
  return route({
    ...of_site,
    name: "upstream_site_retry",
    method: "POST",
    path: `${path}/sites/{site}/retry`,
    summary: "Try a site file once more",
    doc: "Tries the newest version of a site again that was rolled back or refused.",
    handle: async ({ values, grant }) => {
      requireSite(services, { grant: grant!, site: values.site });
      await services.pulled_sites.retry(values.site);
      return Response.json(await shownSites(services, grant!));
    },
  });
}

/** Throws a `Fault` (not_found) for a site out of reach; one that is not there yet is for all. */
function requireSite(
  { catalog }: Services,
  { grant, site }: { readonly grant: Grant; readonly site: string },
): void {
  const known = catalog.sites.find(({ key }) => key === site);
  if (known === undefined) return requireWholeReach(grant);
  if (reaches(grant, catalog.projectByNo(known.project_no)!)) return;
  throw new Fault("not_found", `the centre publishes no site ${site}`);
}

/** The sites of the centre that a token reaches. */
export async function shownSites(
  { pulled_sites, catalog }: Services,
  grant: Grant,
): Promise<z.input<typeof pulled_schema>[]> {
  const isReached = ({ project_id }: PulledSite) =>
    project_id === null
      ? grant.organization_id === null
      : reaches(grant, catalog.project(project_id)!);
  return (await pulled_sites.sites()).filter(isReached)
    .map(({ changed_us, project_id: _project_id, ...site }) => (
      { ...site, changed_at: instantText(changed_us) }
    ));
}

const hold_schema = z.strictObject({ held_by: z.string().nullable() });

const instant = z.string().describe("ISO 8601, UTC.");

/** How a version goes at a gateway. */
export const version_state_schema = z.strictObject({
  site: z.string().describe("The site's key."),
  version: z.int().describe("The newest version that the gateway knows."),
  state: z.enum(Object.keys(version_states) as [string, ...string[]]).describe(
    Object.entries(version_states).map(([name, doc]) => `${name}: ${doc}`).join(" "),
  ),
  reason: z.string().nullable().describe("Why it was rolled back or refused."),
  in_force: z.int().nullable()
    .describe("The version in force; null for a file that was declared at the gateway, or none."),
  held_by: z.string().nullable().describe("Who holds newer versions back; null: nobody."),
  changed_at: instant,
});

/** The same at the gateway itself. */
export const pulled_schema = version_state_schema.extend({
  trial_left_s: z.int().nullable().describe("How long its trial goes on at most."),
  missing: z.string().nullable().describe("What its trial waits for."),
  changed_here: z.boolean().describe("Whether the file in force was changed here since it came."),
}).meta({ title: "PulledSite" });
