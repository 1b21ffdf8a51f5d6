// The way of a request to a shard: to its process here, or to the node that holds it.
import type { Effects } from "../../base/effects.ts";
import type { Holding } from "../../engine/fleet/holding.ts";
import type { FleetNode, ShardWay } from "../../engine/fleet/node.ts";
import { fleet_limits } from "../../model/fleet/limits.ts";
import type { Settings } from "../../model/setting.ts";
import { clientAddress, isOfOwnOrigin } from "../frame/client.ts";
import { parts_header, partsText } from "../frame/part.ts";
import { askPacked, type Certainty, onItsWay, passing, tellPacking } from "./guard.ts";
import { dropHop, hopsOf, roundsOf, setTarget, signHop, targetOf } from "./hop.ts";

type Parts = {
  readonly node: FleetNode;
  readonly effects: Pick<Effects, "request" | "monotonic_ms">;
  readonly settings: Pick<
    Settings,
    "fleet_secret" | "trusted_proxies" | "public_url" | "tls_cert"
  >;
};

/** A request as it is passed on. */
export type Passed = {
  readonly request: Request;
  readonly peer: string | null;
  readonly body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | null;
  /** The names of its projects, shard by shard, where they lie in several. */
  readonly parts?: readonly (readonly string[])[];
  /** How long it waits for a shard that is at no node; by default like every request. */
  readonly wait_ms?: number;
};

/** Passes requests on. */
export class Passage {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The shard that a request is for by the word of another node; undefined of a client's. */
  targetOf(request: Request): number | undefined {
    return this.#hopsOf(request) > 0 ? targetOf(request) : undefined;
  }

  #hopsOf(request: Request): number {
    const { node, settings: { fleet_secret: secret } } = this.#parts;
    return hopsOf(request, { secret, now_ms: node.catalogue_ms });
  }

  /** Passes a request on to a shard, wherever it is, once it is anywhere. */
  async send(no: number, passed: Passed): Promise<Response> {
    const { node, effects } = this.#parts;
    const hops = this.#hopsOf(passed.request);
    const end_ms = effects.monotonic_ms() + (passed.wait_ms ?? fleet_limits.wait_ms);
    for (;;) {
      const way = node.wayTo(no);
      if (way.kind === "here") return await this.#passHere(way, { ...passed, hops });
      if (way.kind === "there" && roundsOf(passed.request) < fleet_limits.hops) {
        return await this.#passThere(way, { ...passed, hops, no });
      }
      if (way.kind === "there") way.end();
      const left_ms = end_ms - effects.monotonic_ms();
      if (left_ms <= 0 || passed.request.signal.aborted) throw onItsWay();
      await node.changed(left_ms);
    }
  }

  async #passHere(
    { holding, port }: { readonly holding: Holding; readonly port: number },
    passed: Passed & { readonly hops: number },
  ): Promise<Response> {
    const end = holding.begin();
    const lease = {
      get is_certain() {
        return holding.left_ms > 0;
      },
    };
    try {
      const headers = this.#headersOf(passed);
      const parts = headers.get(parts_header);
      dropHop(headers);
      if (parts !== null) headers.set(parts_header, parts);
      const response = await this.#ask(`http://127.0.0.1:${port}`, { ...passed, headers });
      if (lease.is_certain) return answered(response, { ...passed, lease, end });
      await response.body?.cancel();
      throw onItsWay();
    } catch (error) {
      end();
      throw error;
    }
  }

  async #passThere(
    { address, gone, end }: Extract<ShardWay, { kind: "there" }>,
    passed: Passed & { readonly hops: number; readonly no: number },
  ): Promise<Response> {
    const { node, settings: { fleet_secret: secret } } = this.#parts;
    try {
      const headers = this.#headersOf(passed);
      setTarget(headers, passed.no);
      const { name, catalogue_ms: now_ms } = node;
      signHop(passed.request, { secret, node: name, now_ms, headers });
      const response = await this.#ask(address, { ...passed, headers, gone });
      return answered(response, { ...passed, lease: { is_certain: true }, end });
    } catch (error) {
      end();
      throw error;
    }
  }

  /** The headers for the next one on the way; of a client, the address that is believed is told. */
  #headersOf({ request, peer, parts, hops }: Passed & { readonly hops: number }): Headers {
    const headers = new Headers(request.headers);
    for (const name of of_connection) headers.delete(name);
    askPacked(headers);
    if (hops === 0) {
      dropHop(headers);
      headers.set("x-forwarded-for", clientAddress(this.#parts, { request, peer }) ?? "unknown");
      // At which address the browser sees the service is known here alone.
      if (!headers.has("sec-fetch-site") && isOfOwnOrigin(this.#parts, request)) {
        headers.set("sec-fetch-site", "same-origin");
      }
    }
    if (parts) headers.set(parts_header, partsText(parts));
    return headers;
  }

  /** Throws a `Fault` (unavailable) where nobody answers there. */
  async #ask(
    origin: string,
    { request, headers, body, gone }: Passed & {
      readonly headers: Headers;
      readonly gone?: AbortSignal;
    },
  ): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const stop = new AbortController();
    for (const signal of [request.signal, gone]) {
      if (signal?.aborted) stop.abort();
      signal?.addEventListener("abort", () => stop.abort(), { once: true });
    }
    try {
      return await this.#parts.effects.request(
        new Request(origin + pathname + search, {
          ...{ method: request.method, headers, body, redirect: "manual", signal: stop.signal },
        }),
      );
    } catch {
      throw onItsWay();
    }
  }
}

/** What belongs to one connection, and what is told anew. */
const of_connection = [
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer"],
  ...["transfer-encoding", "upgrade", "host", "content-length"],
];

/** What the runtime unpacks by itself, unless it is asked for as it is. */
const unpacked_here = /^(gzip|br)$/;

function answered(
  { body, status, statusText, headers }: Response,
  { request, hops, lease, end }: {
    readonly request: Request;
    readonly hops: number;
    readonly lease: Certainty;
    readonly end: () => void;
  },
): Response {
  const kept = new Headers(headers);
  for (const name of of_connection) if (name !== "content-length") kept.delete(name);
  // What the runtime has unpacked on the way may still say that it is packed, and how long it was:
  // nodes of one version pass on what is packed aside, those of another may not.
  const asked = request.headers.get("accept-encoding") ?? "identity";
  if (asked !== "identity" && unpacked_here.test(kept.get("content-encoding") ?? "")) {
    for (const name of ["content-encoding", "content-length"]) kept.delete(name);
  }
  if (hops === 0) tellPacking(kept);
  if (body === null) end();
  return new Response(body && passing(body, lease, end), { status, statusText, headers: kept });
}
