// A fleet in one process: a front, its home and its shards, each a service in memory.
import { Directory } from "../../src/engine/fleet/directory.ts";
import type { FleetNode } from "../../src/engine/fleet/node.ts";
import { adoptTold, toldBy } from "../../src/engine/fleet/told.ts";
import { Front } from "../../src/http/fleet/front.ts";
import { ownOfHome, packedAside } from "../../src/http/fleet/guard.ts";
import { type EndedToken, home_shard } from "../../src/model/fleet/shard.ts";
import type { Settings } from "../../src/model/setting.ts";
import type { FleetCatalog } from "../../src/store/fleet/fleet_catalog.ts";
import { fakeEffects } from "./effects.ts";
import { no_stand_ins } from "./front.ts";
import { type TestService, testService } from "./service.ts";

/** A fleet as its clients see it, and the services that it is made of. */
export type TestFleet = {
  readonly home: TestService;
  /** Shards 1, 2, 3 … */
  readonly shards: readonly TestService[];
  /** Asks the front, with the administrator's token unless the request has its own, or a cookie. */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** Lets each shard tell and hear what the others told, as nodes do every two seconds. */
  readonly tell: () => Promise<void>;
  /** What shards were asked, each after its number: `1 GET /docs`. */
  readonly asked: string[];
  /** Takes a shard away, or gives it back: its requests are refused meanwhile. */
  readonly away: Set<number>;
  /** Those of the shards that are away which are there again once somebody has waited. */
  readonly moving: Set<number>;
  readonly close: () => Promise<void>;
};

const origin = "http://node";

/** One service with the data of all projects, and a fleet in which each lies in its shard. */
export async function singleAndFleet(
  { at, shard_of }: { readonly at: string; readonly shard_of: readonly number[] },
  put: (service: TestService, isHere: (project_no: number) => boolean) => Promise<void>,
): Promise<{ readonly single: TestService; readonly fleet: TestFleet }> {
  const single = await testService({ at });
  await put(single, () => true);
  const fleet = await testFleet({ at });
  for (const [i, shard] of fleet.shards.entries()) {
    await put(shard, (project_no) => shard_of[project_no - 1] === i + 1);
  }
  await fleet.tell();
  return { single, fleet };
}

/** Opens a fleet of a home and `count` more shards; each has a clock of its own at `at`. */
export async function testFleet(
  { at, count = 3, settings = {} }: {
    readonly at?: string;
    readonly count?: number;
    readonly settings?: Partial<Settings>;
  } = {},
): Promise<TestFleet> {
  const directory = new Directory();
  const away = new Set<number>();
  const moving = new Set<number>();
  const asked: string[] = [];
  const services: TestService[] = [];
  const folder = await Deno.makeTempDir();
  for (let no = 0; no <= count; no++) {
    services.push(
      await testService({
        ...(at && { at }),
        ...{ request: (asked) => front.fetch(asked) },
        settings: { ...settings, data_dir: `${folder}/${no}`, fleet_address: origin },
      }),
    );
  }
  const front = frontOf(services, { directory, away, moving, asked });
  const [home, ...shards] = services;
  return {
    ...{ home, shards, away, moving, asked },
    fetch: (path, init) => {
      const sent = new Request(new URL(path, origin), init);
      if (!["authorization", "cookie"].some((name) => sent.headers.has(name))) {
        sent.headers.set("authorization", `Bearer ${home.token}`);
      }
      return front.fetch(sent);
    },
    async tell() {
      const news = services.map(({ services }, no) => (
        { no, told_no: 1, told: toldBy(no, services) }
      ));
      directory.put(news);
      for (const [no, { services: parts }] of services.entries()) {
        await adoptTold(no, directory.toldTo(no)!, parts);
      }
    },
    async close() {
      for (const service of services) await service.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

type FrontParts = Pick<TestFleet, "away" | "moving" | "asked"> & { readonly directory: Directory };

/**
 * The front of one of two nodes, which both hold every second shard, and none that is away: what
 * is asked of the first one goes on to the home at the other.
 */
function frontOf(
  services: readonly TestService[],
  { directory, away, moving, asked }: FrontParts,
): Front {
  const { effects, clock } = fakeEffects();
  const ended: EndedToken[] = [];
  const endToken = (token: EndedToken) => {
    ended.push(token);
    return Promise.resolve(directory.end(ended));
  };
  const holding = { left_ms: 1, begin: () => () => {} };
  const answers = services.map(({ answer, services }, no) =>
    packedAside(no === home_shard ? ownOfHome(answer, services) : answer)
  );
  const nodeOf = (name: string, odd: number, other: () => Front) => {
    const held = services.map((_, no) => no).filter((no) => no % 2 === odd);
    const watch = { gone: new AbortController().signal, end: () => {} };
    const node = {
      ...{ name, directory, held, catalogue_ms: 0, ...no_stand_ins },
      shards: [...services.map((_, no) => ({ no, is_used: true })), { no: 99, is_used: false }],
      wayTo: (no: number) =>
        away.has(no)
          ? { kind: "coming" }
          : held.includes(no)
          ? { kind: "here", holding, port: no }
          : { kind: "there", address: other_origin, ...watch },
      ...{ refresh: () => Promise.resolve(), lookAgain: () => Promise.resolve() },
      isAway: (no: number) => away.has(no),
      // Who waits for any other does so to the end: nothing comes.
      changed(wait_ms: number) {
        for (const no of moving) away.delete(no);
        clock.advance(moving.size > 0 ? 1 : wait_ms);
        moving.clear();
        return Promise.resolve();
      },
    };
    return new Front({
      node: node as unknown as FleetNode,
      catalog: { endToken } as unknown as FleetCatalog,
      effects: {
        ...effects,
        request: (passed) => {
          const { pathname, search, port, origin: to } = new URL(passed.url);
          const sent = new Request(`${origin}${pathname}${search}`, passed);
          if (to === other_origin) return other().fetch(sent);
          asked.push(`${port} ${passed.method} ${pathname}`);
          return answers[Number(port)](sent);
        },
      },
      settings: {
        ...{ fleet_secret: "0123456789abcdef", trusted_proxies: "none", metrics: "open" },
        ...{ public_url: "none", tls_cert: "none", cors_origins: "none" },
      },
      ...{ version: "1", log: { error: () => {} } },
    });
  };
  const first: Front = nodeOf("a", 1, () => second);
  const second: Front = nodeOf("b", 0, () => first);
  return first;
}

const other_origin = "http://other";
