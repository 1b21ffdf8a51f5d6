// The way of a request to a shard: to its process here, or to the node that holds it.
import { sha256Hex } from "../../base/digest.ts";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import type { Holding } from "../../engine/fleet/holding.ts";
import type { FleetNode, ShardWay } from "../../engine/fleet/node.ts";
import { fleet_limits } from "../../model/fleet/limits.ts";
import type { Settings } from "../../model/setting.ts";
import { bearerOf } from "../frame/auth.ts";
import { clientAddress, isOfOwnOrigin, secretOf } from "../frame/client.ts";
import { parts_header, partsText } from "../frame/part.ts";
import { problems } from "../frame/problem.ts";
import { askPacked, type Certainty, onItsWay, passing, tellPacking } from "./guard.ts";
import { isStandable } from "./standing.ts";
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

/** The same, for which shard, and how often it was passed on before. */
type Asked = Passed & { readonly no: number; readonly hops: number };

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

  /**
   * Passes a request on to a shard, wherever it is, once it is anywhere. What lies in the lake is
   * answered without it, where it does not come soon.
   */
  async send(no: number, passed: Passed): Promise<Response> {
    const { node, effects } = this.#parts;
    const asked = { ...passed, no, hops: this.#hopsOf(passed.request) };
    const wait_ms = passed.wait_ms ?? fleet_limits.wait_ms;
    const end_ms = effects.monotonic_ms() + wait_ms;
    if (!isStandable(passed.request, node.catalogue_ms)) return await this.#wait(asked, end_ms);
    const rest_ms = node.stand_ins.has(no) ? wait_ms : wait_ms - fleet_limits.stand_in_wait_ms;
    const answer = await this.#wait(asked, end_ms - Math.max(0, rest_ms)).catch(unanswered);
    if (answer) return answer;
    const instead = await this.#askStandIn(asked);
    if (instead && instead.status !== problems.unavailable.status) {
      node.stand_ins.count(no);
      return instead;
    }
    const refusal = await refusalOf(instead);
    // What was not answered instead, the shard may answer, once it is anywhere.
    const late = await this.#wait(asked, end_ms).catch(unanswered) ?? refusal;
    if (late === undefined) throw onItsWay();
    return late;
  }

  async #wait(asked: Asked, end_ms: number): Promise<Response> {
    const { node, effects } = this.#parts;
    for (;;) {
      const way = node.wayTo(asked.no);
      if (way.kind === "here") return await this.#passHere(way, asked);
      if (way.kind === "there" && roundsOf(asked.request) < fleet_limits.hops) {
        return await this.#passThere(way, asked);
      }
      if (way.kind === "there") way.end();
      const left_ms = end_ms - effects.monotonic_ms();
      if (left_ms <= 0 || asked.request.signal.aborted) throw onItsWay();
      await node.changed(left_ms);
    }
  }

  /** What is answered in the place of a shard, where that was true to the end. */
  async #askStandIn(asked: Asked): Promise<Response | undefined> {
    if (asked.request.signal.aborted || !this.#mayAsk(asked)) return undefined;
    const turn = await this.#parts.node.standIn(asked.no);
    if (turn === undefined) return undefined;
    const headers = this.#headersWithin(asked);
    const response = await this.#ask(originOf(turn), { ...asked, headers }).catch(unanswered);
    const is_true = response !== undefined && await turn.isTrue().catch(() => false);
    if (is_true) return answered(response, { ...asked, lease: { is_certain: true }, ...turn });
    await response?.body?.cancel();
    turn.end();
    return undefined;
  }

  /** One that runs says who may ask; nobody of whom the home has not told lets one be started. */
  #mayAsk({ request, no }: Asked): boolean {
    const { node, settings } = this.#parts;
    if (node.stand_ins.has(no)) return true;
    const secret = bearerOf(request) ?? secretOf({ settings }, request);
    return secret !== undefined && node.directory.knows(sha256Hex(secret));
  }

  async #passHere(
    { holding, port }: { readonly holding: Holding; readonly port: number },
    passed: Asked,
  ): Promise<Response> {
    const end = holding.begin();
    const lease = {
      get is_certain() {
        return holding.left_ms > 0;
      },
    };
    try {
      const headers = this.#headersWithin(passed);
      const response = await this.#ask(originOf({ port }), { ...passed, headers });
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
    passed: Asked,
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

  /** The headers for a process of this node. */
  #headersWithin(passed: Asked): Headers {
    const headers = this.#headersOf(passed);
    const parts = headers.get(parts_header);
    dropHop(headers);
    if (parts !== null) headers.set(parts_header, parts);
    return headers;
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

const originOf = ({ port }: { readonly port: number }) => `http://127.0.0.1:${port}`;

/** Nothing in place of an answer that nobody gave; throws whatever else was thrown. */
function unanswered(error: unknown): undefined {
  if (!(error instanceof Fault) || error.code !== "unavailable") throw error;
}

/** What is refused, read to its end: whoever stands in is free meanwhile. */
async function refusalOf(answer: Response | undefined): Promise<Response | undefined> {
  const bytes = await answer?.bytes().catch(() => undefined);
  return bytes && new Response(bytes, answer);
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
