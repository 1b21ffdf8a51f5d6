// Which shard a request is for: what it says of its project, or what it is about.
import { rawValues } from "../frame/input.ts";
import { body_forms, type BodyForm } from "./body.ts";
import { gathered, type GatheredNoun } from "./merge.ts";

/** What a request is for. */
export type Meaning =
  /** Names of projects, each an id or a key. */
  | { readonly kind: "project"; readonly names: readonly string[] }
  /** The name of a site, its key or id. */
  | { readonly kind: "site"; readonly names: readonly string[] }
  /** A site file, applied or published, which says its project itself. */
  | { readonly kind: "apply" }
  /** What says in its body which projects it is for. */
  | { readonly kind: "body"; readonly form: BodyForm }
  /** The id of a link that reads. */
  | { readonly kind: "link"; readonly names: readonly string[] }
  /** What every shard has a part of. */
  | { readonly kind: "all"; readonly noun: GatheredNoun }
  /** What an operator asks of all shards, or of one by its number. */
  | { readonly kind: "operator"; readonly noun: OperatorNoun }
  /** A gateway that says how it is, which is for all shards of its projects. */
  | { readonly kind: "gateway" }
  /** What is said of the processes of this node. */
  | { readonly kind: "metrics" }
  /** What the shard answers that keeps who may do what, and which projects there are. */
  | { readonly kind: "home" }
  /** What is asked at a gateway, which no fleet is. */
  | { readonly kind: "refused" };

/** The parameter that names projects, where it is not `project_id` or `project_ids`. */
const named_by: readonly (readonly [path: RegExp, name: string])[] = [
  [/^\/(write|api\/v3\/write_lp)$/, "db"],
  [/^\/api\/v2\/write$/, "bucket"],
];

const link_path = /^\/(?:platform\/v1\/links|links)\/([^/]+)/;
const site_path = /^\/admin\/v1\/sites\/([^/]+)$/;
/** Where a site file is published for a gateway, which applies it but for its sources. */
const publish_path = "/admin/v1/gateways/sites";
const prometheus_path = /^\/prometheus\/([^/]+)\//;

/** Paths without a project that the home answers whole, for all shards. */
export const home_paths: readonly RegExp[] = [
  /^\/admin\/v1\/(subscriptions|signing-keys)(\/.*)?$/,
  /^\/webhooks\/jwks\.json$/,
  /^\/(query|ping|api\/v2\/buckets)$/,
  /^\/platform\/v1\/(meta\/(measures|projects)|sessions?(\/.*)?)$/,
  /^\/ingest\/v1\/(projects|enrol)$/,
  /^\/admin\/v1\/gateways\/codes$/,
  /^\/admin\/v1\/(sites|organizations|sessions(\/.*)?|tokens(\/.*)?|users(\/.*)?)$/,
];

/** What is asked at a gateway. */
export const refused_paths: readonly RegExp[] = [
  /^\/platform\/v1\/upstream$/,
  /^\/admin\/v1\/upstream(\/.*)?$/,
];

/** What an operator asks, by its path. */
const operator_path = /^\/admin\/v1\/(deliveries|backups|query|status)(?:\/.*)?$/;

/** The nouns of `operator_path`. */
export type OperatorNoun = "deliveries" | "backups" | "query" | "status";

/** What a request's method and address mean. */
export function meaningOf(method: string, address: URL): Meaning {
  const pathname = routedPath(address);
  const { search } = address;
  // Whatever it names: a shard tells them to anybody where they have an address of their own.
  if (pathname === "/metrics") return { kind: "metrics" };
  const [, site] = site_path.exec(pathname) ?? [];
  if (site !== undefined) {
    return method === "PUT" ? { kind: "apply" } : { kind: "site", names: [decoded(site)] };
  }
  if (method === "POST" && pathname === publish_path) return { kind: "apply" };
  const [, project] = prometheus_path.exec(pathname) ?? [];
  if (project !== undefined) return { kind: "project", names: [decoded(project)] };
  const parameters = named_by.find(([path]) => path.test(pathname))?.slice(1) as string[] ??
    ["project_id", "project_ids"];
  const names = parameters.flatMap((name) => rawValues(search.slice(1), name));
  if (names.length > 0) return { kind: "project", names };
  const form = body_forms.find((it) => it.method === method && it.path === pathname);
  if (form !== undefined) return { kind: "body", form };
  if (method === "GET" && Object.hasOwn(gathered, pathname)) {
    return { kind: "all", noun: gathered[pathname] };
  }
  const [, link] = link_path.exec(pathname) ?? [];
  if (link !== undefined) return { kind: "link", names: [decoded(link)] };
  if (method === "POST" && pathname === "/ingest/v1/gateways") return { kind: "gateway" };
  const [, noun] = operator_path.exec(pathname) ?? [];
  if (noun !== undefined) return { kind: "operator", noun: noun as OperatorNoun };
  return { kind: refused_paths.some((it) => it.test(pathname)) ? "refused" : "home" };
}

/** A path as the service finds its route: `/%6Detrics` is `/metrics`, but %2F and %25 stay. */
export function routedPath({ pathname }: URL): string {
  return pathname.replaceAll("%25", "%2525").replaceAll(/(?:%[\da-f]{2})+/gi, (run) => {
    try {
      return decodeURI(run);
    } catch {
      return run;
    }
  });
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}
