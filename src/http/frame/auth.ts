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

/**
 * The grant of a request on a route; null on a public one. Throws a `Fault`: `unauthorized`
 * without a valid token or session, `too_many` where wrong ones come too often from an address,
 * `forbidden` when its scope or a project named in the query is out of its reach, the same whether
 * or not that project exists. Looks nothing up in the database.
 */
export function authorize(
  services: Pick<Services, "access" | "catalog" | "users" | "settings" | "sign_in">,
  call: Asked & { readonly route: Route; readonly query: string },
): Grant | null {
  const { route, query } = call;
  if (route.scope === null) return null;
  const grant = grantOf(services, call);
  const ids = route.project === null ? [] : rawValues(query, route.project);
  const reached = ids.every((id) => {
    const project = services.catalog.project(id);
    return project !== undefined && reaches(grant, project);
  });
  if (reached && allows(grant, route.scope)) return grant;
  throw new Fault("forbidden", "the token does not reach this project or lacks the scope");
}

/** What a request's token allows; without one, what the session of its cookie does. */
function grantOf(
  services: Pick<Services, "access" | "users" | "settings" | "sign_in">,
  { request, peer }: Asked,
): Grant {
  const header = request.headers.get("authorization");
  const session = header === null ? sessionOf(services, request) : undefined;
  const token = tokenOf(header);
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

/** The token of an Authorization header: a bearer's, or the password of HTTP Basic. */
function tokenOf(header: string | null): string | undefined {
  const [, scheme, credentials] = /^(Bearer|Basic) +([^ ]+) *$/i.exec(header ?? "") ?? [];
  if (scheme?.toLowerCase() !== "basic") return credentials;
  try {
    const text = atob(credentials);
    return text.includes(":") ? text.slice(text.indexOf(":") + 1) || undefined : undefined;
  } catch {
    return undefined;
  }
}
