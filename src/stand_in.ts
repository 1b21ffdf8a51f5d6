// Wires the process that stands in for a shard of a fleet, whose own process is away.
import type { Effects } from "./base/effects.ts";
import { startersPipe } from "./base/effects_self.ts";
import { assert } from "./base/assert.ts";
import { Fault } from "./base/fault.ts";
import { type Log, openLog } from "./engine/core/log.ts";
import { unpacked } from "./engine/fleet/outline_keeper.ts";
import { outwardEffects } from "./engine/fleet/outward.ts";
import { SealedDays } from "./engine/fleet/sealed_days.ts";
import { ShardInside } from "./engine/fleet/shard_inside.ts";
import { adoptTold } from "./engine/fleet/told.ts";
import { closeParts, type Service } from "./engine/service/service.ts";
import { packedAside } from "./http/fleet/guard.ts";
import { standingRoutes } from "./http/fleet/standing.ts";
import { type Notice, organizationId } from "./model/fleet/shard.ts";
import type { Settings } from "./model/setting.ts";
import { Database } from "./store/database.ts";
import { orAbandon } from "./store/open.ts";
import { lakeOf } from "./store/retention/lake.ts";
import { type Outline, putOutline } from "./store/site/outline.ts";
import { assemble, version } from "./app.ts";

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
