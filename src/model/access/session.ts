// Browsers that are signed in: what is kept of a session, how one begins, and when it is over.
import { oneOf, type PlainRow } from "../data/row.ts";
import { access_limits } from "./limits.ts";

/** How a session can begin. */
export const sign_in_ways = ["token", "link", "password", "oidc", "demo"] as const;

/** Who signs in: a user, or else whoever holds a token. */
const subject = { user_id: "text?", token_id: "text?" } as const;

/** A session; instants are microseconds since 1970 UTC. */
export const session_table = {
  id: "text",
  /** SHA-256 of the cookie's value, in hexadecimal. */
  digest: "text",
  ...subject,
  via: oneOf(sign_in_ways),
  /** Where it was begun from; null where that is not known. */
  address: "text?",
  created_at: "instant",
  last_used_at: "instant",
} as const;

/** A session; instants are microseconds since 1970 UTC. */
export type SessionRow = PlainRow<typeof session_table>;

/** A session, as far as others than its home need it; `last_used_at` is coarse. */
export type ToldSession = Omit<SessionRow, "address">;

/** By the id of a session: when it was last used, coarsely, in microseconds since 1970 UTC. */
export type ToldUses = Readonly<Record<string, number>>;

/** A link that signs in once. */
export const link_table = {
  /** SHA-256 of the code, in hexadecimal. */
  digest: "text",
  ...subject,
  expires_at: "instant",
} as const;

/** A link that signs in once. */
export type LinkRow = PlainRow<typeof link_table>;

/** Who signs in; one of the two is null. */
export type Subject = Pick<SessionRow, "user_id" | "token_id">;

/** Whether two are the same user, or the same token. */
export function isSameSubject(a: Subject, b: Subject): boolean {
  return a.user_id === b.user_id && a.token_id === b.token_id;
}

/** The address of a service that listens on a host and a port, by TLS if it has a certificate. */
export function listenAddress(
  { host, port, tls_cert }: {
    readonly host: string;
    readonly port: number;
    readonly tls_cert: string;
  },
): string {
  const scheme = tls_cert === "none" ? "http" : "https";
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Whether browsers reach a service by TLS. */
export function isSecure(
  { public_url, tls_cert }: { readonly public_url: string; readonly tls_cert: string },
): boolean {
  return public_url === "none" ? tls_cert !== "none" : public_url.startsWith("https:");
}

/** The origin at which a browser reaches a service that listens at an address. */
export function browserOrigin(
  { public_url }: { readonly public_url: string },
  address: string,
): string {
  if (public_url !== "none") return new URL(public_url).origin;
  return address.replace(/\/\/(0\.0\.0\.0|\[::\])/, "//localhost");
}

/** The address that signs in by a link: what follows # is never sent, and in no log. */
export function linkUrl(origin: string, code: string): string {
  return `${origin}/#link=${code}`;
}

/** When a session was last used, so coarse that it is seldom told anew. */
export function coarseUse({ last_used_at }: Pick<SessionRow, "last_used_at">): number {
  return last_used_at - last_used_at % access_limits.session_told_us;
}

/** When a session ends if it is not used again. */
export function sessionEnd(
  { created_at, last_used_at }: Pick<SessionRow, "created_at" | "last_used_at">,
): number {
  const { session_us, session_idle_us } = access_limits;
  return Math.min(created_at + session_us, last_used_at + session_idle_us);
}
