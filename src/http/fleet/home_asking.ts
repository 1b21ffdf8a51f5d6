// What the home is asked; while it is away, what other shards answer in its place by their copies.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import type { FleetNode } from "../../engine/fleet/node.ts";
import { home_shard } from "../../model/fleet/shard.ts";
import type { FleetCatalog } from "../../store/fleet/fleet_catalog.ts";
import { asksForPage } from "../frame/client.ts";
import { asksOfCaller, session_path } from "../frame/home_caller.ts";
import { problems } from "../frame/problem.ts";
import { type Gathering, getOf, jsonOf, readJson } from "./gathering.ts";
import { onItsWay } from "./guard.ts";
import { home_paths } from "./meaning.ts";
import { list_paths, lists } from "./merge.ts";
import type { Passage, Passed } from "./passage.ts";

type Parts = {
  readonly node: FleetNode;
  readonly catalog: Pick<FleetCatalog, "endToken">;
  readonly effects: Pick<Effects, "now_us">;
};

/** What each shard answers as the home does, by GET: it has the same settings, or copies of all. */
export const copied_paths: readonly RegExp[] = [
  /^\/ping$/,
  /^\/webhooks\/jwks\.json$/,
  /^\/platform\/v1\/(meta\/measures|session\/ways)$/,
  /^\/admin\/v1\/users$/,
];

const token_path = /^\/admin\/v1\/tokens\/[^/]+$/;

/** Asks the home, or who stands in for it. */
export class HomeAsking {
  readonly #parts: Parts;
  readonly #gathering: Gathering;
  readonly #passage: Passage;

  constructor(
    parts: Parts,
    { gathering, passage }: { readonly gathering: Gathering; readonly passage: Passage },
  ) {
    this.#parts = parts;
    this.#gathering = gathering;
    this.#passage = passage;
  }

  /** The home's answer, or, of what others can answer, theirs where it gives none. */
  async answer(passed: Passed): Promise<Response> {
    const inPlace = this.#inPlace(passed);
    if (inPlace === undefined) return await this.#passage.send(home_shard, passed);
    const answer = await this.#ofHome(passed);
    if (answer && answer.status !== problems.unavailable.status) return answer;
    await answer?.body?.cancel();
    return await inPlace();
  }

  /** What stands in for the home; undefined where nothing can. */
  #inPlace({ request, peer }: Passed): (() => Promise<Response>) | undefined {
    const { pathname } = new URL(request.url);
    const passed = { request, peer, body: null };
    if (request.method === "DELETE" && token_path.test(pathname)) {
      return () => this.#endToken(passed);
    }
    if (request.method !== "GET" || asksOfCaller(request)) return undefined;
    if (isOfScreens(request, pathname) || copied_paths.some((it) => it.test(pathname))) {
      return () => this.#ofAny(passed);
    }
    return Object.hasOwn(list_paths, pathname) ? () => this.#list(pathname, passed) : undefined;
  }

  /** What the home says now; undefined where it is away. */
  async #ofHome({ request, peer }: Passed): Promise<Response | undefined> {
    if (this.#parts.node.isAway(home_shard)) return undefined;
    try {
      return await this.#passage.send(home_shard, { request, peer, body: null, wait_ms: 0 });
    } catch (error) {
      if (error instanceof Fault && error.code === "unavailable") return undefined;
      throw error;
    }
  }

  /** What a shard says that is at hand, or else that is at another node. */
  async #ofAny(passed: Passed): Promise<Response> {
    const { node } = this.#parts;
    const [here] = node.held.filter((no) => no !== home_shard);
    const there = this.#gathering.plants.find((no) => !node.isAway(no));
    return await this.#passage.send(here ?? there ?? home_shard, passed);
  }

  /** What all others have of a list, as one. */
  async #list(pathname: string, { request, peer }: Passed): Promise<Response> {
    const { plants } = this.#gathering;
    if (plants.length === 0) throw onItsWay();
    const said = await this.#gathering.said(plants, { request: getOf(request), peer, body: null });
    // Who signed in a moment ago is known to the home alone.
    if (said instanceof Response) {
      if (said.status !== problems.unauthorized.status || pathname !== session_path) return said;
      await said.body?.cancel();
      throw onItsWay();
    }
    const merged = lists[list_paths[pathname]](said.bodies as never);
    if (merged === null && request.headers.has("cookie")) throw onItsWay();
    return jsonOf(merged, said.answers[0].headers);
  }

  /** A shard judges who may end a token; the catalogue tells all shards of it, and the home. */
  async #endToken(passed: Passed): Promise<Response> {
    const { catalog, effects } = this.#parts;
    const answer = await this.#ofAny(passed);
    if (answer.ok) {
      const token = await readJson<{ readonly token_id: string }>(answer);
      await catalog.endToken({ id: token.token_id, revoked_at: effects.now_us() });
      return jsonOf(token, answer.headers);
    }
    if (answer.status !== problems.not_found.status) return answer;
    // One that was made a moment ago is known to the home alone.
    await answer.body?.cancel();
    throw onItsWay();
  }
}

/** Whether a browser asks for a page of the screens, or for one of their files. */
function isOfScreens(request: Request, pathname: string): boolean {
  if (home_paths.some((it) => it.test(pathname))) return false;
  return pathname.startsWith("/web/") || asksForPage(request) && /^\/\w*$/.test(pathname);
}
