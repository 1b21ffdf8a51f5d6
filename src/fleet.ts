// Wires a node of a fleet, the process of one of its shards, and what stands in for that.
import { assert } from "./base/assert.ts";
import type { Effects } from "./base/effects.ts";
import { startersPipe } from "./base/effects_self.ts";
import { Fault } from "./base/fault.ts";
import { thrownAt } from "./base/assert.ts";
import { type Log, openLog } from "./engine/core/log.ts";
import { FleetNode } from "./engine/fleet/node.ts";
import { onLeaseClock, outwardEffects } from "./engine/fleet/outward.ts";
import { isToBeOutlined, OutlineKeeper, unpacked } from "./engine/fleet/outline_keeper.ts";
import { SealedDays } from "./engine/fleet/sealed_days.ts";
import { ShardInside } from "./engine/fleet/shard_inside.ts";
import { adoptTold, toldBy } from "./engine/fleet/told.ts";
import { Connections } from "./engine/service/connections.ts";
import { closeParts, type Service } from "./engine/service/service.ts";
import { Front } from "./http/fleet/front.ts";
import { guarded, ownOfHome, packedAside } from "./http/fleet/guard.ts";
import { standingRoutes } from "./http/fleet/standing.ts";
import { listenAddress } from "./model/access/session.ts";
import {
  home_shard,
  in_place_of_upstream,
  type Notice,
  organizationId,
  type ShardOf,
} from "./model/fleet/shard.ts";
import type { OutlineWord } from "./model/fleet/outline.ts";
import { catalogPlace } from "./model/fleet/place.ts";
import type { Settings } from "./model/setting.ts";
import { Database } from "./store/database.ts";
import { FleetCatalog } from "./store/fleet/fleet_catalog.ts";
import { keepShardOf, requireShardOf } from "./store/folder.ts";
import { data_version } from "./store/migrate.ts";
import { orAbandon } from "./store/open.ts";
import { lakeOf } from "./store/retention/lake.ts";
import { type Outline, putOutline } from "./store/site/outline.ts";
import { assemble, openService, version } from "./app.ts";

/** The catalogue that the settings name. Throws a `Fault` where they name none. */
export function openCatalog(settings: Settings, effects: Effects): FleetCatalog {
  const place = catalogPlace(settings.fleet_catalog);
  if (place === undefined) {
    const example = "postgres:host=db dbname=fleet user=fleet";
    throw new Fault("invalid", `the setting fleet_catalog names no catalogue, such as ${example}`);
  }
  return new FleetCatalog(place, { effects, secret: settings.fleet_secret });
}

/** Opens a node: it takes shards once its loop runs, which it does at once. */
export async function openNode(settings: Settings, effects: Effects) {
  for (const name of ["fleet_node", "fleet_secret"] as const) {
    if (settings[name] !== "none") continue;
    const example = { fleet_node: "node-a", fleet_secret: "what `openssl rand -hex 32` prints" };
    throw new Fault("invalid", `a node needs the setting ${name}, such as ${example[name]}`);
  }
  if (settings.upstream_url !== "none") {
    const why = "the setting upstream_url makes a gateway, and a fleet is none";
    throw new Fault("invalid", `${why}: ${in_place_of_upstream}`);
  }
  const log = openLog(settings, effects);
  const catalog = openCatalog(settings, effects);
  const fleet = await catalog.make(settings.fleet_shards);
  if (fleet.shards !== settings.fleet_shards) {
    log.warning("the fleet has {shards} shards, whatever fleet_shards says", fleet);
  }
  const address = settings.fleet_address === "none"
    ? listenAddress(settings)
    : settings.fleet_address;
  const node = new FleetNode({
    ...{ settings, log, version, data_version, catalog, address, fleet: fleet.id },
    effects: onLeaseClock(effects),
  });
  await node.join();
  const front = new Front({ node, catalog, effects, settings, version, log });
  const stop = new AbortController();
  const running = node.loop.run(stop.signal);
  const endSurviving = survive((error) =>
    log.warning("a connection to the catalogue broke: {error}", { error })
  );
  return {
    parts: {
      ...{ log, connections: new Connections({ effects, settings }), loops: [node.loop] },
      // While the catalogue is away it is alive: a start would mend nothing, and end its shards.
      database: { answers: () => Promise.resolve(true) },
      status: () =>
        node.is_current
          ? `holding ${node.held_count} shards of a fleet`
          : "the catalogue of the fleet does not answer",
    },
    fetch: front.fetch,
    fetchMetrics: front.fetchMetrics,
    announce: () => {},
    invalid: new Promise<void>(() => {}),
    refuse: () => front.refuse(),
    async close() {
      await node.close();
      stop.abort();
      await running;
      await catalog.close();
      endSurviving();
    },
  };
}

/** Opens the process of a shard, which its node started. */
export async function openShard(shard: ShardOf, settings: Settings, effects: Effects) {
  const inside = new ShardInside({ pipe: startersPipe(), effects: onLeaseClock(effects) });
  try {
    return { service: await openInside(inside, { shard, settings, effects }), inside };
  } catch (error) {
    await inside.fail(error);
    throw error;
  }
}

async function openInside(
  inside: ShardInside,
  { shard, settings, effects }: {
    readonly shard: ShardOf;
    readonly settings: Settings;
    readonly effects: Effects;
  },
) {
  const { no } = shard;
  await requireShardOf(settings.data_dir, shard);
  const service = await openService(settings, outwardEffects(effects, inside), {
    ...{ on_loss: "refuse", organizationId, is_signing_told: no !== home_shard },
  });
  await keepShardOf(settings.data_dir, shard);
  const { parts } = service;
  const adopt = (told: Notice) => adoptTold(no, told, parts);
  await inside.adopt(adopt);
  void inside.keepAdopting(
    adopt,
    (error) => parts.log.error("what other shards told is not taken over yet: {error}", { error }),
  );
  void inside.run(() => toldBy(no, parts));
  if (no !== home_shard && isToBeOutlined(settings)) {
    const keep = (word: OutlineWord) => inside.keep(word);
    const keeper = new OutlineKeeper({ ...parts, version, keep });
    void keeper.loop.run(inside.stop);
  }
  const answer = no === home_shard ? ownOfHome(service.fetch, parts) : service.fetch;
  return { ...service, fetch: guarded(packedAside(answer), inside) };
}

/** Lets the process live on when a connection to the catalogue breaks; gives what ends that. */
export function survive(tell: (error: unknown) => void): () => void {
  const broken = (event: ErrorEvent) => {
    if (!isOfCatalogue(event.error)) return;
    event.preventDefault();
    tell(event.error);
  };
  globalThis.addEventListener("error", broken);
  return () => globalThis.removeEventListener("error", broken);
}

/**
 * Whether an error that nobody has handled is the catalogue's client's, or its socket's, which was
 * let go of: nothing else in a node speaks over a socket of this kind. Any other is our mistake.
 */
function isOfCatalogue(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return /^(E[A-Z]+|CONNECT(ION)?_[A-Z_]+)$/.test(code) ||
    /[/@]postgres[/@]|ext:deno_(node|net)\//.test(thrownAt(error));
}

/** What a stand-in tells all others. */
const nothing: Notice = { organizations: [], projects: [], sites: [], tokens: [], users: [] };

/** Opens what stands in for a shard, which a node started. */
export async function openStandIn(no: number, settings: Settings, effects: Effects) {
  const inside = new ShardInside({ pipe: startersPipe(), effects });
  try {
    const written = await unpacked(await inside.outline);
    if (written.version !== version) {
      const what = `the outline of shard ${no} is of version ${written.version}`;
      throw new Fault("conflict", `${what}, and this is ${version}: wait for the shard`);
    }
    const log = openLog(settings, effects);
    const service = await openStanding(written.outline, { settings, effects, log });
    // Who gets webhooks is nothing to who sends none.
    const adopt = ({ webhooks: _, ...told }: Notice) => adoptTold(no, told, service.parts);
    await inside.adopt(adopt);
    void inside.keepAdopting(
      adopt,
      (error) => log.error("what was told is lost: {error}", { error }),
    );
    void inside.run(() => nothing);
    return { service, inside };
  } catch (error) {
    await inside.fail(error);
    throw error;
  }
}

/**
 * A service in memory over an outline and the days of the lake. None of its loops runs, and nothing
 * goes out of it but the question to the home who somebody is.
 */
export async function openStanding(
  outline: Outline,
  { settings, effects, log }: {
    readonly settings: Settings;
    readonly effects: Effects;
    readonly log: Log;
  },
): Promise<Service> {
  const { request } = effects;
  const within = { ...outwardEffects(effects, { is_certain: false }), request };
  const tell = (text: string) => log.warning("{text}", { text });
  const lake = lakeOf(settings, { effects: within, tell, is_read_only: true });
  assert(lake, "only a shard whose old days lie in a lake has an outline");
  const { memory_mb, threads, library_dir } = settings;
  const database = await Database.open({
    ...{ path: ":memory:", effects, memory_mb, threads, library_dir, lake },
  });
  return await orAbandon(database, async () => {
    await database.write(({ connection }) => putOutline(connection, outline));
    const days = new SealedDays({ database, lake });
    const world = { effects: within, settings, log, organizationId, is_signing_told: true };
    const { services, app } = await assemble(
      database,
      world,
      (routes) => standingRoutes(routes, days),
    );
    return {
      parts: services,
      fetch: packedAside(app.fetch),
      fetchMetrics: app.fetchMetrics,
      announce: () => {},
      invalid: database.invalid,
      refuse: () => app.refuse(),
      async close() {
        await closeParts(services);
        await database.abandon();
      },
    };
  });
}
