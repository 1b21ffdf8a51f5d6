// How nodes know requests that another one passes on: how often that was, and that it may.
//
// Nodes of two versions speak with each other while a fleet is upgraded. So what is signed, and
// how, stays as it is: what is to be signed beside it gets a header of its own for that, and the
// one that is here is sent for as long as the version before is believed.
import { sha256Hex } from "../../base/digest.ts";
import { parts_header } from "../frame/part.ts";
import { fleet_limits } from "../../model/fleet/limits.ts";
import { isSecretOf, keyedHash } from "../../model/webhooks/signature.ts";

/** What a node needs to sign what it passes on. */
export type Signer = {
  readonly secret: string;
  readonly node: string;
  /** By the catalogue's clock, which is one for all nodes; NaN before that is known. */
  readonly now_ms: number;
};

const names = {
  count: "x-fleet-hops",
  node: "x-fleet-node",
  time: "x-fleet-time",
  signature: "x-fleet-signature",
  shard: "x-fleet-shard",
} as const;

/**
 * How often a request was passed on by nodes; 0 where it comes from a client, whatever it says, or
 * from who repeats what a node once signed.
 */
export function hopsOf(
  request: Request,
  { secret, now_ms }: Pick<Signer, "secret" | "now_ms">,
): number {
  const { headers } = request;
  const count = Number(headers.get(names.count) ?? 0);
  const node = headers.get(names.node);
  if (!Number.isInteger(count) || count < 1 || node === null) return 0;
  const signed_ms = Number(headers.get(names.time) ?? NaN);
  if (!(Math.abs(now_ms - signed_ms) <= fleet_limits.hop_ms)) return 0;
  const wanted = signatureOf(request, { secret, node, now_ms: signed_ms, count, headers });
  const is_signed = isSecretOf(headers.get(names.signature) ?? "", sha256Hex(wanted));
  return is_signed ? Math.min(count, fleet_limits.hops) : 0;
}

/**
 * How often a request says that it was passed on, whoever says so. A node that does not believe
 * another passes on what that sends as a client's: it must not go round for ever.
 */
export function roundsOf({ headers }: Request): number {
  return Math.max(0, Math.trunc(Number(headers.get(names.count))) || 0);
}

/** Signs the headers of a request that is passed on once more. */
export function signHop(
  request: Request,
  { headers, ...signer }: Signer & { readonly headers: Headers },
): void {
  const count = roundsOf(request) + 1;
  headers.set(names.count, `${count}`);
  headers.set(names.node, signer.node);
  const now_ms = Math.round(signer.now_ms);
  headers.set(names.time, `${now_ms}`);
  headers.set(names.signature, signatureOf(request, { ...signer, now_ms, count, headers }));
}

/** Takes away what only nodes may say. */
export function dropHop(headers: Headers): void {
  for (const name of [...Object.values(names), parts_header]) headers.delete(name);
}

/** Says which shard a request is for: to be called before it is signed. */
export function setTarget(headers: Headers, no: number): void {
  headers.set(names.shard, `${no}`);
}

/** The shard that a request which another node has passed on is for. */
export function targetOf({ headers }: Request): number {
  return Number(headers.get(names.shard));
}

/** Over all that is believed of another node: the client's address above all. */
function signatureOf(
  { method, url }: Request,
  { secret, node, now_ms, count, headers }: Signer & {
    readonly count: number;
    readonly headers: Headers;
  },
): string {
  const { pathname, search } = new URL(url);
  const client = headers.get("x-forwarded-for") ?? "";
  const token = headers.get("authorization") ?? "";
  const cookie = headers.get("cookie") ?? [];
  const target = [names.shard, parts_header].map((name) => headers.get(name) ?? "");
  const said = [node, count, now_ms, method, pathname + search, client, token, ...target].concat(
    cookie,
  );
  return keyedHash(secret, said.join("\n"));
}
