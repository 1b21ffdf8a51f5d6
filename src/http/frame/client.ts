// Who asks: a client's address, its session's cookie, our own pages, and pages of other sites; and
// the headers that tell browsers what they may do with any answer.
import { Fault } from "../../base/fault.ts";
import { access_limits } from "../../model/access/limits.ts";
import { browserOrigin, isSecure, listenAddress } from "../../model/access/session.ts";
import type { Session } from "../../engine/access/session.ts";
import type { Settings } from "../../model/setting.ts";
import { originsOf } from "../../model/setting_form.ts";
import {
  isInNetworks,
  isLoopback,
  isOwnAddress,
  literalOf,
  parseNetworks,
} from "../../model/webhooks/address.ts";
import type { Services } from "./services.ts";

type Where = { readonly settings: Pick<Settings, "public_url" | "tls_cert"> };

type Behind = { readonly settings: Pick<Settings, "trusted_proxies"> };

/** The origin at which a request's browser sees the service. */
function originOf({ settings }: Where, request: Request): string {
  const { public_url } = settings;
  return new URL(public_url === "none" ? request.url : public_url).origin;
}

/**
 * The origin for links and commands that people copy. It is what the browser asked for only where
 * that is a name or an address of this machine, as a client can send whatever `Host` it likes.
 */
export function ownOrigin(
  { settings, effects }: Pick<Services, "settings" | "effects">,
  request: Request,
): string {
  const { hostname, origin } = new URL(request.url);
  const address = literalOf(hostname);
  const machine = effects.hostname().toLowerCase();
  const isOwn = address === undefined
    ? ["localhost", settings.host, machine, `${machine}.local`].includes(hostname)
    : isOwnAddress(address, effects.addresses());
  return browserOrigin(settings, isOwn ? origin : listenAddress(settings));
}

/** Whether a request's `Host` is the name or address of a host, with or without a port. */
export function hasHost({ url, headers }: Request): boolean {
  const host = headers.get("host");
  if (host !== null && host === last_host) return true;
  const isHost = host === null || /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i.test(host);
  if (!isHost || !URL.canParse(host === null ? url : `http://${host}`)) return false;
  last_host = host;
  return true;
}

/** What is said where it is none. */
export const wanted_host =
  "send as Host the name or address of the service, with its port where it has one";

/** Most requests name the same host. */
let last_host: string | null = null;

/**
 * The address of a client whose connection comes from `peer`: the last one in X-Forwarded-For that
 * is no trusted proxy's, where the peer is one. Null where that is not known.
 */
export function clientAddress(
  { settings }: Behind,
  { request: { headers }, peer }: { readonly request: Request; readonly peer: string | null },
): string | null {
  const proxies = parseNetworks(settings.trusted_proxies);
  const told = (headers.get("x-forwarded-for") ?? "").split(",").map((word) => word.trim())
    .filter((word) => word !== "");
  let address = peer;
  while (address !== null && told.length > 0 && isInNetworks(address, proxies)) {
    address = literalOf(told.pop()!) ?? null;
  }
  return address;
}

/** Whether a browser asks, for its window. */
export function asksForPage({ headers }: Request): boolean {
  return headers.get("accept")?.includes("text/html") ?? false;
}

/** Whether a browser of this very machine asks, by a name of this machine, through no proxy. */
export function isLocal(request: Request, address: string | null): boolean {
  const { hostname } = new URL(request.url);
  const host = literalOf(hostname);
  const byName = hostname === "localhost" || host !== undefined && isLoopback(host);
  const forwarded = ["forwarded", "x-forwarded-for"].some((name) => request.headers.has(name));
  return byName && !forwarded && address !== null && isLoopback(address);
}

/**
 * The session of a request's cookie; undefined without one that holds. Throws a `Fault` (forbidden)
 * where it is not one of our own pages, or the person at the browser, that asks.
 */
export function sessionOf(
  services: Pick<Services, "settings" | "sign_in">,
  request: Request,
): Session | undefined {
  const secret = secretOf(services, request);
  const session = secret === undefined ? undefined : services.sign_in.sessions.verify(secret);
  if (session) requireOwnPage(services, request);
  return session;
}

/** The secret of a request's session, whether or not there is one of it. */
export function secretOf(where: Where, request: Request): string | undefined {
  return cookieOf(request, cookieName(where));
}

/** What a request says of who asks, and of the page that does: for another on their behalf. */
export function callerHeaders({ headers }: Request): Headers {
  const names = ["authorization", "cookie", ...of_page];
  return new Headers(names.flatMap((name): [string, string][] => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value]];
  }));
}

const of_page = ["sec-fetch-site", "origin"] as const;

/** Throws a `Fault` (forbidden) where a browser asks for another site's page, or may do so. */
export function requireOwnPage(where: Where, request: Request): void {
  const { headers, method } = request;
  const site = headers.get("sec-fetch-site");
  const isOwn = method === "GET" || method === "HEAD"
    ? site === null || site === "same-origin" || site === "none"
    : site === null
    ? isOfOwnOrigin(where, request)
    : site === "same-origin";
  if (isOwn) return;
  const message = "only the service's own pages may ask for who is signed in; if this is one, " +
    "the setting public_url is not its address";
  throw new Fault("forbidden", message);
}

/** Whether the page that asks says to be of the address at which its browser sees the service. */
export function isOfOwnOrigin(where: Where, request: Request): boolean {
  return request.headers.get("origin") === originOf(where, request);
}

/** The value of a request's only cookie of a name. */
export function cookieOf({ headers }: Request, name: string): string | undefined {
  const pairs = (headers.get("cookie") ?? "").split(/; */);
  const found = pairs.filter((pair) => pair.startsWith(`${name}=`));
  return found.length === 1 ? found[0].slice(name.length + 1) : undefined;
}

/** The cookie that makes a browser signed in, or, without a secret, not signed in. */
export function sessionCookie(where: Where, secret: string | undefined): string {
  const max_age_s = secret === undefined ? 0 : access_limits.session_us / 1e6;
  return cookieText(where, {
    name: cookieName(where),
    value: secret ?? "",
    more: `SameSite=Strict; Max-Age=${max_age_s}`,
  });
}

/** A cookie that no script sees, for the whole service. */
export function cookieText(
  where: Where,
  { name, value, more }: { readonly name: string; readonly value: string; readonly more: string },
): string {
  return `${name}=${value}; HttpOnly; Path=/; ${more}${isSecure(where.settings) ? "; Secure" : ""}`;
}

/** A cookie's name; over TLS, no other host of the domain can set one with this prefix. */
export function hostName(where: Where, name: string): string {
  return isSecure(where.settings) ? `__Host-${name}` : name;
}

function cookieName(where: Where): string {
  return hostName(where, "wk_session");
}

/** What a page of another site may send and read beside what every page may (CORS). */
const sent = "accept, authorization, content-encoding, content-type, if-match, if-none-match, " +
  "idempotency-key, last-event-id, x-svc-signature";
const shown = "content-disposition, deprecation, etag, idempotency-replayed, link, retry-after, " +
  "sunset, www-authenticate, x-request-id, x-svc-existing, x-svc-pending-days, " +
  "x-svc-site-timezone, x-svc-unknown-tags";

/** How long a browser keeps the answer to its question, in seconds. */
const preflight_s = "600";

/**
 * Makes what an answer has beside its own headers: what the page that asks may do with it. Nothing
 * allows credentials: a page of another site has a token, never the browser's session.
 */
function corsHeaders(
  { cors_origins }: Pick<Settings, "cors_origins">,
): (request: Request, answer: Headers) => readonly (readonly [string, string])[] {
  const allowed = new Set(originsOf(cors_origins));
  if (allowed.size === 0) return () => [];
  return ({ method, headers }, answer) => {
    const origin = headers.get("origin");
    const vary = ["vary", "origin"] as const;
    if (origin === null || !allowed.has(origin)) return [vary];
    const open = [vary, ["access-control-allow-origin", origin]] as const;
    const asks = method === "OPTIONS" && headers.has("access-control-request-method");
    if (!asks) return [...open, ["access-control-expose-headers", shown]];
    return [
      ...open,
      ["access-control-allow-methods", answer.get("allow") ?? ""],
      ["access-control-allow-headers", sent],
      ["access-control-max-age", preflight_s],
    ];
  };
}

/** What no browser may do with an answer; written out, as a library that sets each took longer. */
const safe_headers: readonly (readonly [name: string, value: string])[] = [
  ["cross-origin-resource-policy", "same-origin"],
  ["cross-origin-opener-policy", "same-origin"],
  ["origin-agent-cluster", "?1"],
  ["referrer-policy", "no-referrer"],
  ["x-content-type-options", "nosniff"],
  ["x-dns-prefetch-control", "off"],
  ["x-download-options", "noopen"],
  ["x-frame-options", "SAMEORIGIN"],
  ["x-permitted-cross-domain-policies", "none"],
  ["x-xss-protection", "0"],
];

const secure_headers = [["strict-transport-security", "max-age=31536000"]] as const;

/** The request that is answered, and its id. */
type Answered = { readonly request: Request; readonly request_id: string };

/** Makes what adds them to an answer's own, which have none of them but `cache-control`. */
export function headerAdder(
  settings: Pick<Settings, "public_url" | "tls_cert" | "cors_origins">,
): (headers: Headers, answered: Answered) => void {
  const corsOf = corsHeaders(settings);
  const fixed = [...safe_headers, ...isSecure(settings) ? secure_headers : []];
  return (headers, { request, request_id }) => {
    headers.append("x-request-id", request_id);
    if (!headers.has("cache-control")) headers.append("cache-control", "no-store");
    for (const [name, value] of fixed) headers.append(name, value);
    for (const [name, value] of corsOf(request, headers)) headers.append(name, value);
  };
}
