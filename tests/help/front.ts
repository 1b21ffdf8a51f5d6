// A service behind the front of a node: with TEST_FLEET=1 tests ask a service through it.
import type { FleetNode } from "../../src/engine/fleet/node.ts";
import type { Answer } from "../../src/engine/service/service.ts";
import { Front } from "../../src/http/fleet/front.ts";
import { packedAside } from "../../src/http/fleet/guard.ts";
import type { Services } from "../../src/http/frame/services.ts";
import { home_shard } from "../../src/model/fleet/shard.ts";
import type { FleetCatalog } from "../../src/store/fleet/fleet_catalog.ts";

const plants = home_shard + 1;
const origin = "http://localhost";

/** Which node holds what; a client asks the one that holds nothing. */
const holders = { a: [home_shard], b: [plants], c: [] as number[] };
type Name = keyof typeof holders;

/**
 * The answers of a service that is a fleet's home and its one shard with plants, each at a node of
 * its own, as a client of a third one is given them. A node tells metrics of what it holds alone.
 */
export function throughFront(
  answer: Answer,
  services: Services,
): { readonly fetch: Answer; readonly refuse: () => void } {
  const inside = packedAside(answer);
  const fronts: Readonly<Record<Name, Front>> = {
    a: frontOf("a", services, pass),
    b: frontOf("b", services, pass),
    c: frontOf("c", services, pass),
  };
  return {
    async fetch(request, info) {
      const { pathname } = new URL(request.url);
      if (pathname !== "/metrics") return await fronts.c.fetch(request, info);
      const { status, headers, body } = await fronts.b.fetch(request, info);
      const text = await new Response(body).text();
      return new Response(withoutShard(text), { status, headers });
    },
    refuse: () => Object.values(fronts).forEach((it) => it.refuse()),
  };

  async function pass(passed: Request): Promise<Response> {
    const { pathname, search, hostname: node } = new URL(passed.url);
    const sent = new Request(`${origin}${pathname}${search}`, passed);
    if (Object.hasOwn(fronts, node)) return await fronts[node as Name].fetch(sent);
    const hostname = passed.headers.get("x-forwarded-for") ?? "127.0.0.1";
    sent.headers.delete("x-forwarded-for");
    if (hostname === "unknown") return await inside(sent);
    return await inside(sent, { remoteAddr: { transport: "tcp", hostname, port: 1 } });
  }
}

/** Metrics as one service tells them: without the label that says of which shard they are. */
function withoutShard(metrics: string): string {
  return metrics.replaceAll(/\{shard="\d+"(?:,|\})/g, (label) => label.endsWith(",") ? "{" : "");
}

/** The front of a node, which asks shards and other nodes by `request`. */
function frontOf(
  name: Name,
  { catalog, read_links, effects, settings, version, log }: Services,
  request: (passed: Request) => Promise<Response>,
): Front {
  const known = {
    project: (name: string) => catalog.projects.some(({ id, key }) => id === name || key === name),
    site: (name: string) => catalog.sites.some(({ id, key }) => id === name || key === name),
    link: (name: string) => read_links.get(name) !== undefined,
  };
  const holding = { left_ms: 1, begin: () => () => {} };
  const watch = { gone: new AbortController().signal, end: () => {} };
  const held: readonly number[] = holders[name];
  const node = {
    ...{ name, held, catalogue_ms: 0, is_current: true, ...no_stand_ins },
    directory: {
      shardsOf: (kind: keyof typeof known, name: string) => known[kind](name) ? [plants] : [],
    },
    // One service: what all have a part of is asked of it once.
    shards: [{ no: home_shard, is_used: true }, { no: plants, is_used: false }],
    wayTo: (no: number) =>
      held.includes(no)
        ? { kind: "here", holding, port: no + 1 }
        : { kind: "there", address: `http://${no === home_shard ? "a" : "b"}`, ...watch },
    ...{ refresh: () => Promise.resolve(), lookAgain: () => Promise.resolve() },
    isAway: () => false,
  };
  return new Front({
    node: node as unknown as FleetNode,
    catalog: {
      ...{ placeOf: () => Promise.resolve(plants), place: () => Promise.resolve(plants) },
      placed: () => Promise.resolve(new Map()),
    } as unknown as FleetCatalog,
    effects: { ...effects, request },
    settings: { ...settings, fleet_secret: "0123456789abcdef" },
    ...{ version, log },
  });
}

/** Of a node at which nothing stands in for a shard. */
export const no_stand_ins = {
  stand_ins: { has: () => false, answered: [] },
  standIn: () => Promise.resolve(undefined),
};
