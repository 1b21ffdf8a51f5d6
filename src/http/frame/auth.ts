// Who calls and whether they may, and what their ids and keys name: tokens, scopes, projects.
import { counted } from "../../base/count.ts";
import { Fault } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import {
  allows,
  covers,
  type Grant,
  isTokenForm,
  reaches,
  type Scope,
} from "../../model/access/token.ts";
import { isNamed } from "../../model/access/user.ts";
import type { Named } from "../../model/data/param.ts";
import type { Project, Site } from "../../model/plant/plant.ts";
import { userNamed } from "../../engine/access/actor.ts";
import { clientAddress, sessionOf } from "./client.ts";
import { projects_hint, rawValues } from "./input.ts";
import type { Route } from "./route.ts";
import type { Services } from "./services.ts";

/** A request, and the address of its connection's other end. */
type Asked = { readonly request: Request; readonly peer: string | null };

/** A route, with the query as it came and the parts of the path, which may name projects. */
type Naming = {
  readonly route: Route;
  readonly query: string;
  readonly path: Readonly<Record<string, string>>;
};

export type Call = Asked & Naming;

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
  requireScope(services, { grant, scope: route.scope });
  requireProjects(services, { ...call, grant });
  return grant;
}

/** Throws a `Fault` (forbidden) where a call names a project that a grant does not reach. */
export function requireProjects(
  services: Pick<Services, "catalog">,
  { grant, ...call }: Naming & { readonly grant: Grant },
): void {
  for (const name of projectNames(call)) reachedProject(services, { grant, name });
}

/** Throws a `Fault` (forbidden) that names the scope that is missing, and how to get it. */
function requireScope(
  { catalog }: Pick<Services, "catalog">,
  { grant, scope }: { readonly grant: Grant; readonly scope: Scope },
): void {
  if (allows(grant, scope)) return;
  const is_session = grant.user_id !== null && grant.token_id === grant.user_id;
  const has = `${is_session ? "you have" : "the token has"} ${grant.scopes.join(", ") || "none"}`;
  const scopes = [...grant.scopes, scope].join(" ");
  const advice = is_session
    ? `an administrator gives it: wattkeeper user allow ${grant.user_id} --scope ${scopes}`
    : `an administrator makes another: wattkeeper token create --name NAME --scope ${scopes}${
      reachFlags(catalog, grant)
    }`;
  throw new Fault("forbidden", `this needs the scope ${scope}, ${has}; ${advice}`);
}

/** The flags of a command that makes a token which reaches no more than one does. */
function reachFlags(catalog: Services["catalog"], { project_ids }: Grant): string {
  const keys = project_ids?.flatMap((id) => catalog.project(id)?.key ?? []) ?? [];
  return keys.length === 0 ? "" : ` --project ${keys.join(" ")}`;
}

/** What a call says of its projects, as it came. */
function projectNames({ route: { project }, query, path }: Naming): readonly string[] {
  if (project === null) return [];
  return Object.hasOwn(path, project) ? [path[project]] : rawValues(query, project);
}

/**
 * The project of a name, an id or a key, among those that a grant reaches; an id comes first.
 * Throws a `Fault`: invalid where several have that key, forbidden where none is it, with the same
 * words whether or not it exists.
 */
export function reachedProject(
  { catalog }: Pick<Services, "catalog">,
  { grant, name }: { readonly grant: Grant; readonly name: string },
): Project {
  const own = catalog.project(name);
  if (own !== undefined && reaches(grant, own)) return own;
  const reached = catalog.projects.filter((it) => reaches(grant, it));
  const named = reached.filter((it) => it.key === name);
  if (named.length === 1) return named[0];
  if (named.length > 1) {
    throw new Fault("invalid", `${named.length} projects have this key: send the id of one`);
  }
  throw new Fault("forbidden", `the token reaches no such project; ${hintOf(name, reached)}`);
}

/** What may be meant. Of every name it is the same, so that it tells nothing of what is foreign. */
function hintOf(name: string, reached: readonly Project[]): string {
  if (name.includes(",")) return "repeat the parameter for each";
  if (reached.length > limits.projects_named) return projects_hint;
  return `it reaches ${reached.map(({ key }) => key).join(", ") || "none"}`;
}

type Values = Record<string, unknown>;

/**
 * The values of a request in which each name is an id, whatever of id and key was sent (`names` of
 * a parameter). What names nothing within reach stays as it is, for the handler to refuse.
 */
export function namedValues(
  services: Pick<Services, "catalog" | "users">,
  { route, grant, values }: {
    readonly route: Pick<Route, "params" | "project">;
    readonly grant: Grant | null;
    readonly values: Values;
  },
): Values {
  const named = route.params.filter(({ names }) => names !== undefined);
  if (grant === null || named.length === 0) return values;
  const projects = wordsOf(route.project === null ? undefined : values[route.project])
    .map((name) => reachedProject(services, { grant, name }));
  const meant: Record<Named, (word: string) => string> = {
    project: (name) => reachedProject(services, { grant, name }).id,
    site: (word) => siteNamed(services, { grant, word })?.key ?? word,
    device: (word) => {
      const found = projects.map((project) => services.catalog.deviceNamed(project, word));
      return found.find((it) => it !== undefined)?.id ?? word;
    },
    user: (word) => userIdNamed(services, { grant, word, project: projects[0] }),
  };
  return {
    ...values,
    ...Object.fromEntries(named.map(({ name, names }) => {
      const value = values[name];
      const read = meant[names!];
      return [name, Array.isArray(value) ? value.map(read) : wordsOf(value).map(read)[0]];
    })),
  };
}

function wordsOf(value: unknown): readonly string[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [String(value)];
}

/** The site within reach that an id, or else a key, names. */
function siteNamed(
  { catalog }: Pick<Services, "catalog">,
  { grant, word }: { readonly grant: Grant; readonly word: string },
): Site | undefined {
  const reached = catalog.sites.filter(({ project_no }) =>
    reaches(grant, catalog.projectByNo(project_no)!)
  );
  return reached.find(({ id }) => id === word) ?? reached.find(({ key }) => key === word);
}

/** The id of the user whom a word names: of the project's organization, or of those in reach. */
function userIdNamed(
  { users }: Pick<Services, "users">,
  { grant, word, project }: {
    readonly grant: Grant;
    readonly word: string;
    readonly project: Project | undefined;
  },
): string {
  if (project) return userNamed(users, { word, project })?.id ?? word;
  const found = users.list({ grant }).filter((user) => isNamed(user, word));
  if (found.length < 2) return found[0]?.id ?? word;
  throw new Fault("invalid", `${found.length} users have this address: send the id of one`);
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
  const { request, peer, route } = call;
  if (route.by_link) return grantOfLink(services, call);
  const header = request.headers.get("authorization");
  const token = sentToken(call);
  const session = header === null && token === undefined ? sessionOf(services, request) : undefined;
  if (token === undefined && session === undefined) {
    throw new Fault("unauthorized", header === null || header === "" ? no_token : wrong_header);
  }
  const grant = session?.grant ?? services.access.verify(token!);
  if (grant !== undefined && !isDisabled(services, grant)) return grant;
  services.access.countWrong(clientAddress(services, { request, peer }));
  throw unknownToken(token);
}

/** The token that a call has, whether or not there is one of it. */
export function sentToken({ request, route, query }: Call): string | undefined {
  const in_query = route.token_param && !request.headers.has("authorization")
    ? rawValues(query, route.token_param)[0]
    : undefined;
  return in_query || bearerOf(request);
}

/** What is said to who has a token that does not hold. */
export function unknownToken(token: string | undefined): Fault {
  return new Fault(
    "unauthorized",
    `the access token is unknown, expired or revoked${oddityOf(token)}`,
  );
}

const no_token = "sign in, or send Authorization: Bearer with an access token";
const wrong_header = "send Authorization: Bearer, a space, and the access token alone";

/** What can be seen of a wrong token without a look at any that is right. */
function oddityOf(token: string | undefined): string {
  if (token === undefined || isTokenForm(token)) return "";
  return token.startsWith("wk_")
    ? `; it has ${counted(token.length, "character")}, not those of a whole token`
    : "; what was sent does not begin with wk_ as a token does";
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
export function bearerOf({ headers }: Request): string | undefined {
  const header = headers.get("authorization") ?? "";
  const [, scheme, credentials] = /^(Bearer|Basic|Token) +([^ ]+) *$/i.exec(header) ?? [];
  if (scheme === undefined) return undefined;
  if (scheme.toLowerCase() !== "basic") return credentials.slice(credentials.indexOf(":") + 1);
  try {
    const text = atob(credentials);
    return text.includes(":") ? text.slice(text.indexOf(":") + 1) || undefined : undefined;
  } catch {
    return undefined;
  }
}
