// Wires the service: the one place that knows all floors.
import { Budget } from "./base/budget.ts";
import { Access } from "./engine/access/access.ts";
import { AlarmFeed } from "./engine/alarms/feed.ts";
import { AlarmIngest } from "./engine/alarms/ingest.ts";
import { mapAlarms } from "./engine/alarms/place.ts";
import { AlarmReads } from "./engine/alarms/read.ts";
import { Shelves } from "./engine/alarms/shelving.ts";
import { Availability } from "./engine/availability/availability.ts";
import { workDays } from "./engine/availability/order.ts";
import { Catalog } from "./engine/catalog/catalog.ts";
import { Deliveries } from "./engine/webhooks/dispatcher.ts";
import { keepRetaining } from "./engine/webhooks/retention.ts";
import { Ingest } from "./engine/ingest/ingest.ts";
import { Keeper } from "./engine/service/maintenance.ts";
import { openLog } from "./engine/core/log.ts";
import { Roll } from "./engine/rollup/rollup.ts";
import { followRules } from "./engine/rules/follow.ts";
import { openRuled } from "./engine/rules/open.ts";
import type { OpenService } from "./engine/service/service.ts";
import { SigningKeys } from "./engine/webhooks/signing.ts";
import { Users } from "./engine/access/user.ts";
import { openVoice } from "./engine/service/open.ts";
import { WatchMinute } from "./engine/rules/minute_evaluator.ts";
import { Work } from "./engine/work/work.ts";
import { type App, createApp } from "./http/app.ts";
import { routesOf } from "./http/routes.ts";
import type { Services } from "./http/frame/services.ts";
import type { Database } from "./store/database.ts";
import { Folder } from "./store/folder.ts";
import { openDatabase } from "./store/open.ts";
import project from "../deno.json" with { type: "json" };

/** The program's version. */
export const version: string = project.version;

/** What a service is made from, beside its database. */
type World = Pick<Services, "effects" | "settings" | "log">;

/** The parts and the HTTP face over an open database; nothing runs by itself yet. */
export async function assemble(
  database: Database,
  world: World,
): Promise<{ services: Services; app: App }> {
  const services = await openParts(database, world);
  return { services, app: createApp(services, routesOf(services)) };
}

/** The parts over an open database. */
export async function openParts(database: Database, world: World): Promise<Services> {
  const { effects, settings } = world;
  const catalog = await Catalog.load(database);
  const access = await Access.open({ database, effects });
  const users = await Users.open({ database, catalog, effects });
  const days = settings.signing_key_days;
  const signing = await SigningKeys.open({ database, effects, days });
  const roll = await Roll.open({ database, catalog, effects });
  const availability = await Availability.open({ database, catalog, roll, effects });
  const onOutage = () => availability.wake();
  const ruled = await openRuled({ database, catalog, effects, onOutage });
  const { rules, alarms, watch } = ruled;
  const work = await Work.open({ database, catalog, users, effects });
  work.mark(workDays({ catalog, effects, onWork: onOutage }));
  const voice = await openVoice({ ...world, database, catalog, alarms, watch, work });
  const deliveries = await Deliveries.open({ ...world, database, ...voice, signing, version });
  await mapAlarms({ database, catalog, alarms });
  const watch_minute = await WatchMinute.open({ database, catalog, roll, ...ruled, effects });
  roll.onStored = (span) => watch_minute.wake(span);
  rules.onChange = () => watch_minute.wake();
  const live = (occurrence_no: number) => watch.live(occurrence_no);
  const alarm_reads = new AlarmReads({ database, catalog, users, live, alarms });
  const alarm_feed = await AlarmFeed.open({ database, alarms });
  const shelves = await Shelves.open({ database, alarms, effects });
  const ingest = await Ingest.open({ database, catalog, ...ruled, effects });
  ingest.onStored = () => roll.wake();
  return {
    ...world,
    database,
    catalog,
    access,
    users,
    signing,
    follow: followRules({ database, catalog, ...ruled }),
    roll,
    availability,
    ...ruled,
    watch_minute,
    alarm_reads,
    alarm_feed,
    alarm_ingest: new AlarmIngest({ database, catalog, users, alarms }),
    shelves,
    ingest,
    work,
    ...voice,
    deliveries,
    budget: Budget.beside(settings.memory_mb),
    version,
  };
}

/** Opens the service of a data directory and starts its loops. */
export const openService: OpenService = async (settings, effects, { on_loss }) => {
  const log = openLog(settings, effects);
  const folder = await Folder.open(settings.data_dir);
  try {
    const { memory_mb, threads } = settings;
    const { database, guard } = await openDatabase(folder, {
      effects,
      memory_mb,
      threads,
      on_loss,
    });
    const { services, app } = await assemble(database, { effects, settings, log });
    const keeper = new Keeper({ database, folder, guard, effects, settings, log });
    const stop = new AbortController();
    const kept = keeper.run(stop.signal);
    const rolled = services.roll.run(stop.signal);
    const judged = services.availability.run(stop.signal);
    const unshelved = services.shelves.run(stop.signal);
    const watched = services.watch.run(stop.signal);
    const compared = services.watch_minute.run(stop.signal);
    const rotated = services.signing.run(stop.signal);
    const delivered = services.deliveries.run(stop.signal);
    const retained = keepRetaining(services, stop.signal);
    return {
      parts: services,
      fetch: app.fetch,
      refuse() {
        services.deliveries.stop();
        app.refuse();
      },
      invalid: kept.then((end) => end === "invalid" ? undefined : new Promise(() => {})),
      async close() {
        stop.abort();
        await Promise.all([kept, rolled, judged, unshelved, watched, compared, rotated]);
        await Promise.all([delivered, retained]);
        await services.access.flush();
        await services.roll.close();
        await services.availability.close();
        await services.watch_minute.close();
        await guard.keep();
        await database.close();
        folder.close();
      },
    };
  } catch (error) {
    folder.close();
    throw error;
  }
};
