// Wires the service: the one place that knows all floors.
import { lakeOf } from "./store/retention/lake.ts";
import { upgradeBy } from "./engine/backup/upgrade.ts";
import { openLog } from "./engine/core/log.ts";
import { own_process } from "./engine/core/process.ts";
import { LocalAccess } from "./engine/service/local_access.ts";
import { Maintenance, restLoop } from "./engine/service/maintenance.ts";
import { closeParts, openParts, type OpenService, type World } from "./engine/service/service.ts";
import type { App } from "./http/app.ts";
import type { Route } from "./http/frame/route.ts";
import { type Services, servicesOf } from "./http/frame/services.ts";
import { keyPath, type Settings } from "./model/setting.ts";
import { forgetDaylight } from "./model/time/daylight.ts";
import { namingDamage } from "./store/damage.ts";
import type { Database } from "./store/database.ts";
import { Folder, tiersPath } from "./store/folder.ts";
import { openDatabase, orAbandon } from "./store/open.ts";
import project from "../deno.json" with { type: "json" };

/** The program's version. */
export const version: string = project.version;

/** What answers over HTTP: no other command than `serve` needs it. */
const loadFace = () => Promise.all([import("./http/app.ts"), import("./http/routes.ts")]);

/**
 * The parts and the HTTP face over an open database; nothing runs by itself yet. `change` makes
 * the routes others.
 */
export async function assemble(
  database: Database,
  world: Omit<World, "version">,
  change: (routes: readonly Route[]) => readonly Route[] = (routes) => routes,
): Promise<{ services: Services; app: App }> {
  const services = servicesOf(await openParts(database, { ...world, version }));
  const [{ createApp }, { routesOf }] = await loadFace();
  return { services, app: createApp(services, change(routesOf(services))) };
}

function lakeFor(settings: Settings, { effects, log }: Pick<World, "effects" | "log">) {
  return lakeOf(settings, { effects, tell: (text) => log.warning("{text}", { text }) });
}

/** Gives the memory of answers and of what they were made of back. */
function giveBack({ alarm_pages, alarm_reads }: Services): void {
  alarm_pages.forget();
  alarm_reads.forget();
  forgetDaylight();
}

/** Opens the service of a data directory and starts its loops. */
export const openService: OpenService = async (settings, effects, options) => {
  const log = openLog(settings, effects);
  const folder = await Folder.open(settings.data_dir);
  for (const { path } of folder.loose) {
    log.warning("others may reach {path}, and this user can't forbid it: change its mode", {
      path,
    });
  }
  try {
    return await namingDamage(folder, async () => {
      const { memory_mb, threads, library_dir } = settings;
      const tell = (text: string) => log.info("{text}", { text });
      const { database, guard } = await openDatabase(folder, {
        ...{ effects, memory_mb, threads, library_dir, on_loss: options.on_loss },
        meanwhile: () => void loadFace(),
        ...{ key_path: keyPath(settings), far_path: tiersPath(settings) },
        lake: lakeFor(settings, { effects, log }),
        onMigrate: upgradeBy({ settings, effects, version, tell }),
      });
      return await orAbandon(database, async () => {
        const maintenance = new Maintenance({ database, folder, guard, effects, settings, log });
        const world = { effects, settings, log, ...options, maintenance: maintenance.loop };
        const { services, app } = await assemble(database, world);
        const { access, deliveries } = services;
        const local = new LocalAccess({ access, folder, effects });
        const forget = () => giveBack(services);
        const rest = restLoop({ database, maintenance, effects, process: own_process, forget });
        const loops = [...services.loops, local.loop, rest];
        const stop = new AbortController();
        // One that ends before it is told to has said why in the log; the metrics show it.
        const ended = Promise.allSettled(loops.map((loop) => loop.run(stop.signal)));
        return {
          parts: services,
          fetch: app.fetch,
          fetchMetrics: app.fetchMetrics,
          announce: (address) => local.open(address),
          refuse() {
            deliveries.stop();
            app.refuse();
          },
          invalid: database.invalid,
          async close() {
            stop.abort();
            await Promise.all([ended, deliveries.close()]);
            await local.close();
            await closeParts(services);
            await guard.keep();
            await database.close();
            folder.close();
          },
        };
      });
    });
  } catch (error) {
    folder.close();
    throw error;
  }
};
