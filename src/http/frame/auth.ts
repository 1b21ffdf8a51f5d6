// Who calls, and whether they may: the token or session of a request, its scope and projects.
import { Fault } from "../../base/fault.ts";
import { allows, covers, type Grant, reaches } from "../../model/access/token.ts";
import type { Project } from "../../model/plant/plant.ts";
import { clientAddress, sessionOf } from "./client.ts";
import { rawValues } from "./input.ts";
import type { Route } from "./route.ts";
import type { Services } from "./services.ts";

/** A request, and the address of its connection's other end. */
type Asked = { readonly request: Request; readonly peer: string | null };

/** A route, with the query as it came and the parts of the path, which may name projects. */
type Named = {
  readonly route: Route;
  readonly query: string;
  readonly path: Readonly<Record<string, string>>;
};

type Call = Asked & Named;

/**
 * The grant of a request on a route; null on a public one. Throws a `Fault`: `unauthorized`
 * without a valid token or session, `too_many` where wrong ones come too often from an address,
 * `forbidden` when its scope or a project that it names is out of its reach, the same whether or
 * not that project exists. Looks nothing up in the database.
 */
export function authorize(
  services: Door & Pick<Services, "catalog">,
  call: Call,
): Grant | null {
  const { route } = call;
  if (route.scope === null) return null;
  const grant = grantOf(services, call);
  requireProjects(services, { ...call, grant });
  if (allows(grant, route.scope)) return grant;
  throw new Fault("forbidden", out_of_reach);
}

/** Throws a `Fault` (forbidden) where a call names a project that a grant does not reach. */
export function requireProjects(
  { catalog }: Pick<Services, "catalog">,
  { grant, ...call }: Named & { readonly grant: Grant },
): void {
  const isReached = isDoor(call.route)
    ? (name: string) => findReached(catalog, grant, name) !== undefined
    : (id: string) => {
      const project = catalog.project(id);
      return project !== undefined && reaches(grant, project);
    };
  if (!projectNames(call).every(isReached)) throw new Fault("forbidden", out_of_reach);
}

const out_of_reach = "the token does not reach this project or lacks the scope";

/** Whether a route has its project by what tools of others call it: key or id. */
function isDoor({ project }: Route): boolean {
  return project !== "project_id" && project !== "project_ids";
}

/** What a call says of its projects, as it came. */
function projectNames({ route: { project }, query, path }: Named): readonly string[] {
  if (project === null) return [];
  return Object.hasOwn(path, project) ? [path[project]] : rawValues(query, project);
}

/**
 * The project of a name, an id or a key, among those that a grant reaches. Throws a `Fault`:
 * invalid where several have that key, forbidden where none is it, whether or not it exists.
 */
export function reachedProject(
  { catalog }: Pick<Services, "catalog">,
  { grant, name }: { readonly grant: Grant; readonly name: string },
): Project {
  const project = findReached(catalog, grant, name);
  if (project === undefined) throw new Fault("forbidden", out_of_reach);
  return project;
}

function findReached(
  catalog: Services["catalog"],
  grant: Grant,
  name: string,
): Project | undefined {
  const own = catalog.project(name);
  if (own !== undefined && reaches(grant, own)) return own;
  const named = catalog.projects.filter((it) => it.key === name && reaches(grant, it));
  if (named.length < 2) return named[0];
  throw new Fault("invalid", `${named.length} projects have this key: send the id of one`);
}

/** What tells who calls. */
type Door = Pick<Services, "access" | "users" | "settings" | "sign_in" | "read_links">;

/** What the maker of the link may do whose secret is in the path. */
function grantOfLink(services: Door, { request, peer, path: { id, secret } }: Call): Grant {
  const grant = services.read_links.verify(id, secret);
  if (grant !== undefined) return grant;
  services.access.countWrong(clientAddress(services, { request, peer }));
  const message = "there is no such link, or it has ended: ask whoever gave it to you for another";
  throw new Fault("not_found", message);
}

/** What a request's token allows; without one, what the session of its cookie does. */
function grantOf(services: Door, call: Call): Grant {
  const { request, peer, route, query } = call;
  if (route.by_link) return grantOfLink(services, call);
  const header = request.headers.get("authorization");
  const told = header === null && route.token_param
    ? rawValues(query, route.token_param)[0]
    : undefined;
  const session = header === null && !told ? sessionOf(services, request) : undefined;
  const token = told || tokenOf(header);
  if (token === undefined && session === undefined) {
    throw new Fault("unauthorized", "sign in, or send Authorization: Bearer with an access token");
  }
  const grant = session?.grant ?? services.access.verify(token!);
  if (grant !== undefined && !isDisabled(services, grant)) return grant;
  services.access.countWrong(clientAddress(services, { request, peer }));
  throw new Fault("unauthorized", "the access token is unknown, expired or revoked");
}

/** The project of a request, which was there when its token was checked. */
export function projectOf({ catalog }: Pick<Services, "catalog">, project_id: string): Project {
  const project = catalog.project(project_id);
  if (project === undefined) throw new Fault("forbidden", "the project is gone");
  return project;
}

/** Throws a `Fault` (forbidden) unless a token reaches every organization. */
export function requireWholeReach(grant: Grant): void {
  if (covers(grant, { organization_id: null, project_ids: null })) return;
  throw new Fault("forbidden", "the token must reach every organization");
}

/** Whether the user who acts with a token can't act any more. */
function isDisabled({ users }: Pick<Services, "users">, { user_id }: Grant): boolean {
  return user_id !== null && users.get(user_id)?.disabled_at !== null;
}

/**
 * The token of an Authorization header: of a bearer, the password of HTTP Basic, or behind `Token`
 * as tools for InfluxDB send it, there also as the password of a user.
 */
function tokenOf(header: string | null): string | undefined {
  const [, scheme, credentials] = /^(Bearer|Basic|Token) +([^ ]+) *$/i.exec(header ?? "") ?? [];
  if (scheme === undefined) return undefined;
  if (scheme.toLowerCase() !== "basic") return credentials.slice(credentials.indexOf(":") + 1);
  try {
    const text = atob(credentials);
    return text.includes(":") ? text.slice(text.indexOf(":") + 1) || undefined : undefined;
  } catch {
    return undefined;
  }
}
