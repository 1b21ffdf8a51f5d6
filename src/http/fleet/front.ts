// A node's answer to any request: from the shard that it is for, here or at another node.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { newId } from "../../base/id.ts";
import type { FleetNode } from "../../engine/fleet/node.ts";
import type { Answer } from "../../engine/service/service.ts";
import { fleet_limits } from "../../model/fleet/limits.ts";
import { emptiest } from "../../model/fleet/place.ts";
import { home_shard, in_place_of_upstream } from "../../model/fleet/shard.ts";
import type { Settings } from "../../model/setting.ts";
import { metricsPlace } from "../../model/setting_form.ts";
import { site_limits } from "../../model/site/limits.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import type { FleetCatalog } from "../../store/fleet/fleet_catalog.ts";
import { hasHost, headerAdder, wanted_host } from "../frame/client.ts";
import { rawValues } from "../frame/input.ts";
import { problemOf, problemResponse, problems } from "../frame/problem.ts";
import { type BodyForm, keysOf, type Sent, sentBody } from "./body.ts";
import { type Asker, Gathering, getOf, jsonOf, readJson } from "./gathering.ts";
import { onItsWay } from "./guard.ts";
import { HomeAsking } from "./home_asking.ts";
import { type Meaning, meaningOf } from "./meaning.ts";
import { Operating } from "./operating.ts";
import { Passage, type Passed } from "./passage.ts";

type Parts = {
  readonly node: FleetNode;
  readonly catalog: FleetCatalog;
  readonly effects: Pick<Effects, "request" | "monotonic_ms" | "sleep" | "now_us" | "random">;
  readonly settings: Pick<
    Settings,
    "fleet_secret" | "trusted_proxies" | "metrics" | "public_url" | "tls_cert" | "cors_origins"
  >;
  readonly version: string;
  readonly log: { readonly error: (text: string, values: Record<string, unknown>) => void };
};

/** The front of a node; `refuse` lets it say that it takes no more. */
export class Front {
  readonly #parts: Parts;
  readonly #passage: Passage;
  readonly #gathering: Gathering;
  readonly #operating: Operating;
  readonly #home: HomeAsking;
  readonly #addHeaders: ReturnType<typeof headerAdder>;
  #is_open = true;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#passage = new Passage(parts);
    this.#addHeaders = headerAdder(parts.settings);
    this.#gathering = new Gathering(parts.node, this.#passage);
    this.#home = new HomeAsking(parts, { gathering: this.#gathering, passage: this.#passage });
    this.#operating = new Operating(this.#gathering, this.#passage, parts.effects);
  }

  refuse(): void {
    this.#is_open = false;
  }

  readonly fetch: Answer = (request, info) =>
    this.#whole(request, info, (peer) => this.#answer(request, peer));

  /** The same at the address that the metrics have for themselves. */
  readonly fetchMetrics: Answer = (request, info) =>
    this.#whole(request, info, (peer) => {
      const { pathname } = new URL(request.url);
      if (pathname !== "/metrics") throw new Fault("not_found", "here is nothing but /metrics");
      return this.#gathering.metrics({ request, peer });
    });

  /** An answer, or what is wrong in its place. */
  async #whole(
    request: Request,
    info: Parameters<Answer>[1],
    answer: (peer: string | null) => Promise<Response>,
  ): Promise<Response> {
    const { effects, log } = this.#parts;
    const peer = info && "hostname" in info.remoteAddr ? info.remoteAddr.hostname : null;
    const request_id = newId(effects);
    try {
      if (!hasHost(request)) throw new Fault("invalid", wanted_host);
      return this.#withOwn(await answer(peer), { request, request_id });
    } catch (error) {
      const problem = problemOf(error, request);
      if (problem.code === "internal") log.error("passing on failed: {error}", { error });
      return this.#withOwn(problemResponse(problem, request_id), { request, request_id });
    }
  }

  /** What a node answers itself has the headers that a shard gives its answers. */
  #withOwn(
    response: Response,
    { request, request_id }: { readonly request: Request; readonly request_id: string },
  ): Response {
    const { headers } = response;
    if (headers.has("x-request-id")) return response;
    this.#addHeaders(headers, { request, request_id });
    return response;
  }

  async #answer(request: Request, peer: string | null): Promise<Response> {
    const { node, version, settings } = this.#parts;
    const address = new URL(request.url);
    const { pathname } = address;
    if (unpassed.test(request.method)) {
      throw new Fault("not_available", `${request.method} is not answered: send GET or POST`);
    }
    const is_read = request.method === "GET" || request.method === "HEAD";
    if (is_read && pathname === "/healthz") return Response.json({ status: "ok", version });
    if (is_read && pathname === "/readyz") {
      if (this.#is_open && node.is_current) return Response.json({ status: "ok" });
      const why = this.#is_open ? "the fleet's catalogue does not answer" : "the node is stopping";
      throw new Fault("unavailable", why, { retry_after_s: fleet_limits.retry_after_s });
    }
    const meaning = meaningOf(request.method, address);
    if (!this.#is_open && !isToTheEnd(meaning)) throw onItsWay();
    const passed = { request, peer, body: request.body };
    const target = this.#passage.targetOf(request);
    if (target !== undefined) return await this.#passage.send(target, passed);
    switch (meaning.kind) {
      case "refused":
        throw refused(pathname);
      case "home":
        return await this.#home.answer(passed);
      case "apply":
        return await this.#apply(passed);
      case "body":
        return await this.#askByBody(meaning.form, passed);
      case "all":
        return await this.#gathering.askAll(meaning.noun, passed);
      case "operator":
        return await this.#operating.answer(meaning.noun, passed);
      case "gateway":
        return await this.#hearGateway(passed);
      case "metrics":
        if (typeof metricsPlace(settings.metrics) === "object") {
          throw new Fault("not_found", `the metrics are at ${settings.metrics}`);
        }
        return await this.#gathering.metrics(passed);
      default:
        return await this.#askNamed(meaning, passed);
    }
  }

  /** Asks the shard of what is named. */
  async #askNamed({ kind, names }: Named, passed: Passed): Promise<Response> {
    const shards = await this.#shardsOf(kind, names, passed);
    if (shards instanceof Response) return shards;
    const [[no] = [home_shard], ...others] = shards;
    if (others.length === 0) return await this.#passage.send(no, passed);
    // The home knows all projects: it refuses the request, or asks their shards and answers.
    const parts = shards.map(([, names]) => names);
    return await this.#passage.send(home_shard, { ...passed, parts });
  }

  /** Asks the one shard of the projects that a body names. */
  async #askByBody(form: BodyForm, { request, peer }: Passed): Promise<Response> {
    const sent = await this.#sentBody(request, form.limit_bytes);
    const passed = { request, peer, body: sent.bytes };
    const named = form.namesOf(sent);
    const reached = named === undefined ? await this.#reachedBy(passed) : undefined;
    if (reached instanceof Response) return reached;
    const names = named ?? reached?.map(({ project_id }) => project_id);
    if (names === undefined) return await this.#passage.send(this.#onlyShard(), passed);
    const shards = await this.#shardsOf("project", names, passed);
    if (shards instanceof Response) return shards;
    if (shards.length > 1) return await this.#refuseSeveral(shards, passed);
    return await this.#passage.send(shards[0]?.[0] ?? home_shard, passed);
  }

  /** Says to who may know it that projects lie apart; a shard of one that is foreign refuses it. */
  async #refuseSeveral(shards: readonly NamesOf[], passed: Passed): Promise<Response> {
    const reached = await this.#reachedBy(passed);
    if (reached instanceof Response) return reached;
    const known = reached?.flatMap(({ project_id, key }) => [project_id, key]);
    const foreign = known &&
      shards.find(([, names]) => !names.every((name) => known.includes(name)));
    if (foreign === undefined) throw several(shards);
    return await this.#passage.send(foreign[0], passed);
  }

  /**
   * The projects that a request's token reaches, or its refusal by the home; undefined for a token
   * that may ask, but not know which projects there are.
   */
  async #reachedBy({ request, peer }: Passed): Promise<readonly Reached[] | Response | undefined> {
    // Clients of InfluxDB have it in the address.
    const [told] = rawValues(new URL(request.url).search.slice(1), "p");
    for (const path of ["/platform/v1/meta/projects", "/ingest/v1/projects"]) {
      const asked = getOf(request, path);
      if (told && !asked.headers.has("authorization")) {
        asked.headers.set("authorization", `Bearer ${told}`);
      }
      const answer = await this.#home.answer({ request: asked, peer, body: null });
      if (answer.ok) return (await readJson<Projects>(answer)).projects;
      if (answer.status !== problems.forbidden.status) return answer;
      await answer.body?.cancel();
    }
  }

  /** The shard that all projects are in. Throws a `Fault` (not_available) where there are more. */
  #onlyShard(): number {
    const others = this.#gathering.plants;
    if (others.length < 2) return others[0] ?? home_shard;
    const why = "the projects of the fleet lie in several shards, and one such request reaches one";
    throw new Fault("not_available", `${why}: name projects that lie together`);
  }

  /** Lets all shards of a gateway's projects hear how it is: each judges what is silent by it. */
  async #hearGateway({ request, peer }: Passed): Promise<Response> {
    const { bytes } = await this.#sentBody(request, upstream_limits.enrol_bytes);
    const passed = { request, peer, body: bytes };
    const heard = await this.#gathering.said([home_shard], passed);
    if (heard instanceof Response) return heard;
    const [answer] = heard.bodies as readonly Heard[];
    const ids = answer.projects.map(({ project_id }) => project_id);
    const shards = await this.#shardsOf("project", ids, passed);
    if (shards instanceof Response) return shards;
    if (shards.length === 0 && ids.length > 0) throw onItsWay();
    const said = await this.#gathering.said(shards.map(([no]) => no), passed);
    if (said instanceof Response) return said;
    const sites = [answer, ...said.bodies as readonly Heard[]].flatMap((it) => it.sites);
    return jsonOf({ ...answer, sites }, heard.answers[0].headers);
  }

  /** The shards of what some names mean, each with its names; none where one of them is unknown. */
  async #shardsOf(
    kind: Named["kind"],
    names: readonly string[],
    passed: Passed,
  ): Promise<readonly NamesOf[] | Response> {
    const { node } = this.#parts;
    const find = () => names.map((name) => node.directory.shardsOf(kind, name));
    let found = find();
    if (found.some((shards) => shards.length === 0)) {
      // What was made a moment ago at another node may not be known here yet.
      await node.lookAgain();
      found = find();
    }
    if (found.some((shards) => shards.length === 0)) return [];
    if (kind === "project" && found.some((shards) => shards.length > 1)) {
      // Those of other organizations may have the same keys, which is not for everybody to know.
      const reached = await this.#reachedBy(passed);
      if (reached instanceof Response) return reached;
      if (reached) found = names.map((name, i) => ownShards(name, found[i], { node, reached }));
    }
    const twice = names.find((_, i) => new Set(found[i]).size > 1);
    if (twice !== undefined) {
      throw new Fault("invalid", `several have the key ${twice}: send the id of one`);
    }
    return [...Map.groupBy(names, (_, i) => found[i][0])];
  }

  /**
   * A site file goes to its project's shard; a new project gets one. It is long, and read for
   * administrators alone, as this is before anybody looks at the token.
   */
  async #apply({ request, peer }: Passed): Promise<Response> {
    const { node, catalog } = this.#parts;
    const refusal = await this.#gathering.refusalOf({ request, peer });
    if (refusal !== undefined) return refusal;
    const sent = await this.#sentBody(request, site_limits.file_bytes);
    const passed = { request, peer, body: sent.bytes };
    const keys = keysOf(sent);
    // The home says all that is wrong with it.
    if (keys === undefined) return await this.#passage.send(home_shard, passed);
    const { site, ...place } = keys;
    const known = await catalog.placeOf(place);
    const found = node.directory.shardsOf("site", site);
    const is_known = found.length > 0;
    if (found.some((it) => it !== known)) {
      const what = `there is a site ${site} in another project of the fleet`;
      throw new Fault("conflict", `${what}: give this one another key`);
    }
    if (known === undefined) {
      // What is only tried, or refused, takes no shard; of a new project the home knows all.
      const tried = await this.#passage.send(home_shard, { ...passed, request: dryRun(request) });
      if (!tried.ok || isDryRun(request)) return tried;
      await tried.body?.cancel();
    }
    const proposed = known ?? emptiest(node.shards, await catalog.placed());
    const no = await catalog.place(place, proposed);
    if (known === undefined) await node.refresh();
    const answer = await this.#passage.send(no, passed);
    if (answer.ok && !is_known && !isDryRun(request)) await this.#untilKnown(site, passed);
    return answer;
  }

  /**
   * Waits, not for ever, until the home knows a site that was made a moment ago, with its project:
   * every node finds it then. What is sent for it to another node would be refused before.
   */
  async #untilKnown(site: string, { request, peer }: Asker): Promise<void> {
    const { node, effects } = this.#parts;
    const question = { request: getOf(request, "/admin/v1/sites"), peer, body: null };
    const end_ms = effects.monotonic_ms() + fleet_limits.known_ms;
    while (!request.signal.aborted && !node.isAway(home_shard)) {
      // It is made, whatever becomes of the home.
      const said = await this.#gathering.said([home_shard], question).catch(() => undefined);
      if (said === undefined || said instanceof Response) return await said?.body?.cancel();
      const [{ sites }] = said.bodies as readonly Sites[];
      if (sites.some(({ key }) => key === site) || effects.monotonic_ms() >= end_ms) return;
      await effects.sleep(fleet_limits.look_ms, request.signal);
    }
  }

  #sentBody(request: Request, limit_bytes: number): Promise<Sent> {
    return sentBody(request, limit_bytes, this.#parts.effects);
  }
}

/** What names the shard that it lies in. */
type Named = Extract<Meaning, { readonly names: readonly string[] }>;

/** A shard, and which names of a request are of what lies in it. */
type NamesOf = readonly [no: number, names: readonly string[]];

/** A project within a token's reach. */
type Reached = { readonly project_id: string; readonly key: string };
type Projects = { readonly projects: readonly Reached[] };

type Sites = { readonly sites: readonly { readonly key: string }[] };

type Heard = {
  readonly projects: readonly { readonly project_id: string }[];
  readonly sites: readonly unknown[];
};

/** The shards of a name that several projects may have as their key; any of them refuses others. */
function ownShards(
  name: string,
  found: readonly number[],
  { node, reached }: { readonly node: FleetNode; readonly reached: readonly Reached[] },
): readonly number[] {
  const own = reached.filter(({ key }) => key === name)
    .flatMap(({ project_id }) => node.directory.shardsOf("project", project_id));
  return found.length > 1 ? own.length > 0 ? own : found.slice(0, 1) : found;
}

/** Whether it tells how the fleet is, which a node that stops does, too. */
function isToTheEnd(meaning: Meaning): boolean {
  return meaning.kind === "metrics" || meaning.kind === "operator" && meaning.noun === "status";
}

/** Methods that nobody can pass on (fetch.spec.whatwg.org/#forbidden-method). */
const unpassed = /^(connect|trace|track)$/i;

/** The parameter by which a site file is only tried. */
const dry_run = "dry_run";

function isDryRun({ url }: Request): boolean {
  return rawValues(new URL(url).search.slice(1), dry_run).includes("true");
}

/** The same request, which changes nothing. */
function dryRun({ url, method, headers, signal }: Request): Request {
  const address = new URL(url);
  address.searchParams.set(dry_run, "true");
  return new Request(address, { method, headers, signal });
}

function several(shards: readonly NamesOf[]): Fault {
  const each = shards.map(([, names]) => names.join(" with ")).join("; ");
  return new Fault(
    "not_available",
    `these projects lie in ${shards.length} shards of the fleet, and one such request reaches ` +
      `one: name projects, and send a request for each of ${each}`,
  );
}

function refused(pathname: string): Fault {
  const what = `${pathname} is asked at a gateway, and a fleet is none`;
  return new Fault("not_available", `${what}: ${in_place_of_upstream}`);
}
