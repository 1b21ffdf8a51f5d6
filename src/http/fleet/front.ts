// A node's answer to any request: from the shard that it is for, here or at another node.
import { parse } from "smol-toml";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { newId } from "../../base/id.ts";
import type { Holding } from "../../engine/fleet/holding.ts";
import type { FleetNode, ShardWay } from "../../engine/fleet/node.ts";
import type { Answer } from "../../engine/service/service.ts";
import { fleet_limits } from "../../model/fleet/limits.ts";
import { emptiest } from "../../model/fleet/place.ts";
import { home_shard } from "../../model/fleet/shard.ts";
import type { Settings } from "../../model/setting.ts";
import { site_limits } from "../../model/site/limits.ts";
import type { FleetCatalog } from "../../store/fleet/fleet_catalog.ts";
import { clientAddress } from "../frame/client.ts";
import { parts_header, partsText } from "../frame/part.ts";
import { problemOf, problemResponse } from "../frame/problem.ts";
import { onItsWay, passing } from "./guard.ts";
import { dropHop, hopsOf, signHop } from "./hop.ts";
import { meaningOf } from "./meaning.ts";

type Parts = {
  readonly node: FleetNode;
  readonly catalog: FleetCatalog;
  readonly effects: Pick<Effects, "request" | "monotonic_ms" | "now_us" | "random">;
  readonly settings: Pick<Settings, "fleet_secret" | "trusted_proxies">;
  readonly version: string;
  readonly log: { readonly error: (text: string, values: Record<string, unknown>) => void };
};

/** A request as it is passed on. */
type Passed = {
  readonly request: Request;
  readonly peer: string | null;
  readonly body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | null;
  /** The names of its projects, shard by shard, where they lie in several. */
  readonly parts?: readonly (readonly string[])[];
};

/** The front of a node; `refuse` lets it say that it takes no more. */
export class Front {
  readonly #parts: Parts;
  #is_open = true;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  refuse(): void {
    this.#is_open = false;
  }

  readonly fetch: Answer = async (request, info) => {
    const { effects, log } = this.#parts;
    const peer = info && "hostname" in info.remoteAddr ? info.remoteAddr.hostname : null;
    const request_id = newId(effects);
    try {
      return await this.#answer(request, peer);
    } catch (error) {
      const problem = problemOf(error, request);
      if (problem.code === "internal") log.error("passing on failed: {error}", { error });
      const response = problemResponse(problem, request_id);
      response.headers.set("x-request-id", request_id);
      return response;
    }
  };

  async #answer(request: Request, peer: string | null): Promise<Response> {
    const { node, version } = this.#parts;
    const address = new URL(request.url);
    const { pathname } = address;
    if (pathname === "/healthz") return Response.json({ status: "ok", version });
    if (pathname === "/readyz") {
      if (this.#is_open && node.is_current) return Response.json({ status: "ok" });
      const why = this.#is_open ? "the fleet's catalogue does not answer" : "the node is stopping";
      throw new Fault("unavailable", why, { retry_after_s: fleet_limits.retry_after_s });
    }
    if (!this.#is_open) throw onItsWay();
    const meaning = meaningOf(request.method, address);
    const passed = { request, peer, body: request.body };
    if (meaning.kind === "refused") throw refused(pathname);
    if (meaning.kind === "home") return await this.#send(home_shard, passed);
    if (meaning.kind === "apply") return await this.#apply(passed);
    const shards = await this.#shardsOf(meaning.kind, meaning.names);
    const [[no] = [home_shard], ...others] = shards;
    if (others.length === 0) return await this.#send(no, passed);
    // The home knows all projects: it refuses the request, or asks their shards and answers.
    return await this.#send(home_shard, { ...passed, parts: shards.map(([, names]) => names) });
  }

  /** The shards of what some names mean, each with its names; none where one of them is unknown. */
  async #shardsOf(
    kind: "project" | "site",
    names: readonly string[],
  ): Promise<readonly (readonly [no: number, names: readonly string[]])[]> {
    const { node } = this.#parts;
    const find = () => names.map((name) => node.directory.shardsOf(kind, name));
    let found = find();
    if (found.some((shards) => shards.length === 0)) {
      // What was made a moment ago at another node may not be known here yet.
      await node.refresh();
      found = find();
    }
    if (found.some((shards) => shards.length === 0)) return [];
    if (found.some((shards) => shards.length > 1)) {
      throw new Fault("invalid", `several have the key ${names.join(", ")}: send the id of one`);
    }
    return [...Map.groupBy(names, (_, i) => found[i][0])];
  }

  /** A site file goes to its project's shard; a new project gets one. */
  async #apply({ request, peer }: Passed): Promise<Response> {
    const { node, catalog } = this.#parts;
    const refusal = await this.#refusalOf(request, peer);
    if (refusal !== undefined) return refusal;
    const body = await wholeBody(request);
    const { organization, project, site } = keysOf(request, body);
    const place = { organization, project };
    const no = await catalog.place(place, emptiest(node.shards, await catalog.placed()));
    const others = node.directory.shardsOf("site", site).filter((it) => it !== no);
    if (others.length > 0) {
      const what = `there is a site ${site} in another project of the fleet`;
      throw new Fault("conflict", `${what}: give this one another key`);
    }
    await node.refresh();
    return await this.#send(no, { request, peer, body });
  }

  /** What the home says to a token that may not apply sites: it knows each that there is. */
  async #refusalOf(request: Request, peer: string | null): Promise<Response | undefined> {
    const address = new URL("/admin/v1/organizations", request.url);
    const authorization = request.headers.get("authorization");
    const question = new Request(address, { headers: authorization ? { authorization } : {} });
    const answer = await this.#send(home_shard, { request: question, peer, body: null });
    if (!answer.ok) return answer;
    await answer.body?.cancel();
  }

  /** Passes a request on to a shard, wherever it is, once it is anywhere. */
  async #send(no: number, passed: Passed): Promise<Response> {
    const { node, effects, settings } = this.#parts;
    const hops = hopsOf(passed.request, { secret: settings.fleet_secret });
    const end_ms = effects.monotonic_ms() + fleet_limits.wait_ms;
    for (;;) {
      const way = node.wayTo(no);
      if (way.kind === "here") return await this.#passHere(way, { ...passed, hops });
      if (way.kind === "there" && hops < fleet_limits.hops) {
        return await this.#passThere(way, { ...passed, hops });
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
      dropHop(headers);
      if (passed.parts) headers.set(parts_header, partsText(passed.parts));
      const response = await this.#ask(`http://127.0.0.1:${port}`, { ...passed, headers });
      if (lease.is_certain) return answered(response, (body) => passing(body, lease, end), end);
      await response.body?.cancel();
      throw onItsWay();
    } catch (error) {
      end();
      throw error;
    }
  }

  async #passThere(
    { address, gone, end }: Extract<ShardWay, { kind: "there" }>,
    passed: Passed & { readonly hops: number },
  ): Promise<Response> {
    const { node, settings: { fleet_secret: secret } } = this.#parts;
    try {
      const headers = this.#headersOf(passed);
      signHop(passed.request, { secret, node: node.name, headers, hops: passed.hops });
      const response = await this.#ask(address, { ...passed, headers, gone });
      return answered(response, (body) => passing(body, { is_certain: true }, end), end);
    } catch (error) {
      end();
      throw error;
    }
  }

  /** The headers for the next one on the way; of a client, the address that is believed is told. */
  #headersOf({ request, peer, hops }: Passed & { readonly hops: number }): Headers {
    const headers = new Headers(request.headers);
    for (const name of [...of_connection, parts_header]) headers.delete(name);
    // What is packed would be unpacked on the way.
    headers.set("accept-encoding", "identity");
    if (hops === 0) {
      dropHop(headers);
      headers.set("x-forwarded-for", clientAddress(this.#parts, { request, peer }) ?? "unknown");
    }
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

function answered(
  { body, status, statusText, headers }: Response,
  pass: (body: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>,
  onEnd: () => void,
): Response {
  const kept = new Headers(headers);
  for (const name of of_connection) if (name !== "content-length") kept.delete(name);
  if (body === null) onEnd();
  return new Response(body && pass(body), { status, statusText, headers: kept });
}

async function wholeBody(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request.body ?? []) {
    size += part.length;
    if (size > site_limits.file_bytes) {
      throw new Fault("too_large", `send a site file of at most ${site_limits.file_bytes} bytes`);
    }
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
}

/** The keys in a site file; the shard checks the rest of it. */
function keysOf(request: Request, body: Uint8Array<ArrayBuffer>) {
  type Keyed = Readonly<Record<string, { readonly key?: unknown } | undefined>>;
  const text = new TextDecoder().decode(body);
  let file: Keyed | undefined;
  try {
    const is_toml = request.headers.get("content-type")?.includes("toml");
    file = (is_toml ? parse(text) : JSON.parse(text)) as Keyed;
  } catch (error) {
    throw new Fault("invalid", `the site file can't be read: ${(error as Error).message}`);
  }
  const [organization, project, site] = ["organization", "project", "site"].map((name) => {
    const key = file?.[name]?.key;
    if (typeof key === "string" && key !== "") return key;
    throw new Fault("invalid", `the site file has no ${name}.key: give it a text`);
  });
  return { organization, project, site };
}

function refused(pathname: string): Fault {
  return new Fault(
    "not_available",
    `${pathname} is not answered by a fleet yet; docs/fleet.md says what is. Where it takes ` +
      "project_id, send that: it is asked at the project's shard then",
  );
}
