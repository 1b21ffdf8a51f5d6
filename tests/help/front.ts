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

/** The answers of a service that is a fleet's home and its one shard with plants. */
export function throughFront(answer: Answer, services: Services): Answer {
  const { catalog, read_links, effects, settings } = services;
  const known = {
    project: (name: string) => catalog.projects.some(({ id, key }) => id === name || key === name),
    site: (name: string) => catalog.sites.some(({ id, key }) => id === name || key === name),
    link: (name: string) => read_links.get(name) !== undefined,
  };
  const holding = { left_ms: 1, begin: () => () => {} };
  const node = {
    directory: {
      shardsOf: (kind: keyof typeof known, name: string) => known[kind](name) ? [plants] : [],
    },
    // One service: what all have a part of is asked of it once.
    shards: [{ no: home_shard, is_used: true }, { no: plants, is_used: false }],
    held: [plants],
    wayTo: (no: number) => ({ kind: "here", holding, port: no + 1 }),
    ...{ refresh: () => Promise.resolve(), lookAgain: () => Promise.resolve() },
    isAway: () => false,
  };
  const inside = packedAside(answer);
  const front = new Front({
    node: node as unknown as FleetNode,
    catalog: {
      ...{ placeOf: () => Promise.resolve(plants), place: () => Promise.resolve(plants) },
      placed: () => Promise.resolve(new Map()),
    } as unknown as FleetCatalog,
    effects: {
      ...effects,
      request: async (passed) => {
        const { pathname, search } = new URL(passed.url);
        const sent = new Request(`${origin}${pathname}${search}`, passed);
        const hostname = passed.headers.get("x-forwarded-for") ?? "127.0.0.1";
        sent.headers.delete("x-forwarded-for");
        if (hostname === "unknown") return await inside(sent);
        return await inside(sent, { remoteAddr: { transport: "tcp", hostname, port: 1 } });
      },
    },
    settings: { ...settings, fleet_secret: "0123456789abcdef" },
    ...{ version: services.version, log: services.log },
  });
  return front.fetch;
}
