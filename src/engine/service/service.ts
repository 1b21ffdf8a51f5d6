// A service: its parts over one database, tied to each other, and how its faces see it.
import type { Effects } from "../../base/effects.ts";
import type { Settings } from "../../model/setting.ts";
import type { Database } from "../../store/database.ts";
import { importsPath, photosPath, sourceFolders } from "../../store/folder.ts";
import type { LossPolicy } from "../../store/loss_check.ts";
import { Access } from "../access/access.ts";
import { ReadLinks } from "../access/read_link.ts";
import { SignIn } from "../access/sign_in.ts";
import { Users } from "../access/user.ts";
import { AlarmFeed } from "../alarms/feed.ts";
import { FeedPages } from "../alarms/feed_pages.ts";
import { AlarmIngest } from "../alarms/ingest.ts";
import type { Alarms } from "../alarms/alarm.ts";
import { mapAlarms } from "../alarms/place.ts";
import { AlarmReads } from "../alarms/view.ts";
import { Shelving } from "../alarms/action.ts";
import { Availability } from "../availability/availability.ts";
import { workDays } from "../availability/mark.ts";
import { Backups } from "../backup/backup.ts";
import { Catalog } from "../catalog/catalog.ts";
import { rollup_limits } from "../../model/rollup/limits.ts";
import type { Log } from "../core/log.ts";
import { diskSpace } from "../core/machine.ts";
import type { Loop } from "../core/loop.ts";
import { Imports } from "../ingest/imports.ts";
import { Ingest } from "../ingest/ingest.ts";
import { RowGroups } from "../ingest/row_groups.ts";
import { followIngest } from "../ingest/rush.ts";
import { Destinations } from "../destinations/destinations.ts";
import { Retention, waitingFor } from "../retention/retention.ts";
import { Tiers } from "../retention/tiers.ts";
import { Rollup } from "../rollup/rollup.ts";
import type { Evaluator } from "../rules/evaluator.ts";
import { MinuteEvaluator } from "../rules/minute_evaluator.ts";
import { openRuleEngine } from "../rules/open.ts";
import { ClockWatch } from "./clock_watch.ts";
import { Connections } from "./connections.ts";
import { Fill } from "./fill.ts";
import { openPeers } from "./peers.ts";
import { OperatorQueries } from "./query.ts";
import { Setpoints } from "../setpoints/setpoints.ts";
import { Sources } from "../sources/sources.ts";
import { idleFallbacks, idleText } from "../site/fallback.ts";
import type { SiteParts } from "../site/site.ts";
import { openWebhooks } from "../webhooks/open.ts";
import { Deliveries, retentionLoop } from "../webhooks/dispatcher.ts";
import { reportLoop } from "../webhooks/report.ts";
import type { Outbox } from "../webhooks/outbox.ts";
import { Heads } from "../samples/head.ts";
import { DayOrder } from "../samples/order.ts";
import { Gateways } from "../upstream/gateway.ts";
import { GatewayCodes } from "../upstream/enrol.ts";
import { Upstream } from "../upstream/upstream.ts";
import { WorkReaders } from "../upstream/work_readers.ts";
import { SigningKeys } from "../webhooks/signing.ts";
import type { WorkMark } from "../work/commit.ts";
import { Photos } from "../work/photo.ts";
import { WorkTail } from "../work/tail.ts";
import { Work } from "../work/work.ts";

/** What a service is made from, beside its database. */
export type World = {
  readonly effects: Effects;
  readonly log: Log;
  readonly settings: Pick<
    Settings,
    | "visible_after_ms"
    | "data_dir"
    | "backup_dir"
    | "backup_every"
    | "backup_keep"
    | "memory_mb"
    | "planned_off"
    | "webhook_allow"
    | "webhook_rotation_hours"
    | "webhook_keep_days"
    | "keep_samples"
    | "keep_forecasts"
    | "keep_minutes"
    | "keep_quarters"
    | "keep_free_percent"
    | "tier_after"
    | "tier_dir"
    | "host"
    | "port"
    | "stop_grace_ms"
    | "tls_cert"
    | "metrics"
    | "signing_key_days"
    | "signing_key_publish_hours"
    | "public_url"
    | "trusted_proxies"
    | "cors_origins"
    | "setpoints"
    | "setpoint_keep_days"
    | "upstream_url"
    | "upstream_token"
    | "upstream_max_kbit"
    | "destination_dir"
    | "destination_allow"
    | "upstream_trial_s"
    | "source_allow"
    | "oidc_issuer"
    | "oidc_client_id"
    | "oidc_client_secret"
    | "oidc_name"
    | "fleet_address"
  >;
  /** The program's version. */
  readonly version: string;
  /** Whether what is lost is given up; by default it is not. */
  readonly on_loss?: LossPolicy;
  /** What looks after the database in the background, if anything does. */
  readonly maintenance?: Loop;
  /** Whether another service makes the keys that sign webhooks; by default this one does. */
  readonly is_signing_told?: boolean;
} & Pick<SiteParts, "organizationId">;

/** Everything that works on one open database. */
export type Parts = Awaited<ReturnType<typeof openParts>>;

/** Answers one request, of which is known where it came from. */
export type Answer = (
  request: Request,
  info?: { readonly remoteAddr: Deno.Addr },
) => Promise<Response>;

/** An open service: it answers requests until it is closed. */
export type Service = {
  readonly parts: Parts;
  readonly fetch: Answer;
  /** Answers what comes to the address that the metrics have for themselves. */
  readonly fetchMetrics: Answer;
  /** Says at which address it answers: commands on this machine find it there. */
  readonly announce: (address: string) => void;
  /** Resolves when the database has invalidated itself: only a new process can go on. */
  readonly invalid: Promise<void>;
  /** Answers `/readyz` and every new request with 503 from now on. */
  readonly refuse: () => void;
  /** Stops the loops, writes the log into the database file and gives the directory back. */
  readonly close: () => Promise<void>;
};

/** What a supervisor is told about. */
export type Attended =
  & {
    readonly database: Pick<Parts["database"], "answers">;
    readonly loops: readonly Pick<Parts["loops"][number], "has_failed">[];
  }
  & (Busy | { readonly status: () => string });

/** What a service is busy with. */
export type Busy = {
  readonly roll: Pick<Parts["roll"], "state">;
  readonly fill: Pick<Parts["fill"], "state">;
};

/** What is served: a service, or what answers for several. */
export type Served = Omit<Service, "parts"> & {
  readonly parts: Pick<Parts, "log" | "connections"> & Attended;
};

/** Opens the service of `settings.data_dir`. */
export type OpenService = (
  settings: Settings,
  effects: Effects,
  options: { readonly on_loss: LossPolicy } & Pick<World, "organizationId" | "is_signing_told">,
) => Promise<Service>;

/**
 * Opens the parts, some that do not need each other side by side; nothing runs by itself until the
 * `loops` do.
 */
export async function openParts(database: Database, world: World) {
  const { effects, settings, log, version, maintenance } = world;
  const catalog = await loadCatalog(database, log);
  const base = { database, catalog, effects };
  const [people, roll] = await Promise.all([openPeople(world, base), Rollup.open(base)]);
  const { users, signing } = people;
  const availability = await Availability.open({ ...base, roll });
  const onOutage = () => availability.wake();
  const { followClock, ...rule_engine } = await openRuleEngine({ ...base, onOutage });
  const { rules, alarms, evaluator } = rule_engine;
  const work = await Work.open({ ...base, users });
  const photos = await Photos.open({ ...base, users, work, path: photosPath(settings) });
  const work_readers = await WorkReaders.open({ database, work, effects });
  work.mark(workDays({ catalog, effects, onWork: onOutage }));
  const webhooks = await openWebhooks({ database, catalog, alarms, evaluator, effects, settings });
  work.mark(workWebhooks(webhooks.outbox, catalog));
  const deliveries = await Deliveries.open({
    ...{ database, ...webhooks, signing, effects, settings, version },
  });
  await mapAlarms({ database, catalog, alarms });
  const judging = { ...rule_engine, ...base, roll };
  const minute_evaluator = await MinuteEvaluator.open(judging);
  roll.onStale = tellHistory(log);
  rules.onChange = () => minute_evaluator.wake();
  const shelving = await Shelving.open({ database, alarms, effects });
  const tiers = await Tiers.open({ ...world, database, roll });
  const ingest = await Ingest.open({ ...base, ...rule_engine, tiers });
  const groups = new RowGroups({ ...base, log });
  followIngest({ ...base, roll, ingest, groups });
  const doors = await openAlarmDoors({ database, catalog, users, alarms, evaluator });
  const sources = new Sources({ ...base, ...doors, ingest, settings, ...sourceFolders(settings) });
  const space = () => diskSpace(settings.data_dir).catch(() => undefined);
  const keeping = await keepersOf(world, {
    ...{ database, catalog, users, alarms, work, photos, roll, tiers, ingest, groups, space },
  });
  roll.onStored = (span) => void (minute_evaluator.wake(span), keeping.order.stored(span));
  const { late, ...versions } = await openPeers({
    ...{ ...world, ...judging, ...people, work, upstream: keeping.upstream, sources },
  });
  const following = { roll, availability, shelving, signing, ingest, deliveries, minute_evaluator };
  const clock_watch = watchClock(world, { ...following, followClock });
  const loops = [
    ...[...maintenance ? [maintenance] : [], clock_watch.loop],
    ...[roll, availability, evaluator, minute_evaluator, shelving, signing].map(({ loop }) => loop),
    ...Object.values(keeping).map(({ loop }) => loop),
    ...[deliveries.sending, deliveries.settling, retentionLoop({ database, settings, effects })],
    reportLoop({ database, catalog, roll, effects, settings, outbox: webhooks.outbox }),
    ...[sources.loop, versions.pulled_sites.loop, late, work_readers.loop],
  ];
  return {
    ...{ effects, settings, log, version, ...rule_engine, ...webhooks, ...people },
    ...{ database, catalog, roll, availability, minute_evaluator, wakeLate: () => late.wake() },
    ...{ clock_watch, shelving, ingest, work, work_readers, deliveries, loops, ...keeping, space },
    ...{ heads: new Heads(ingest.latest), queries: new OperatorQueries({ database, effects }) },
    ...{ sources, fill: new Fill(), connections: new Connections({ effects, settings }) },
    setpoints: await Setpoints.open({ ...world, database, catalog, sources }),
    ...{ photos, work_tail: new WorkTail({ work, since_us: database.committed_us }) },
    ...{ ...versions, ...doors, organizationId: world.organizationId },
  };
}

/** Who may do what, and the keys that the service signs with. */
async function openPeople(
  world: World,
  { database, catalog, effects }: Pick<World, "effects"> & {
    readonly database: Database;
    readonly catalog: Catalog;
  },
) {
  const access = await Access.open({ database, effects });
  const users = await Users.open({ database, catalog, effects });
  const [sign_in, gateways, read_links, signing] = await Promise.all([
    SignIn.open({ database, access, users, effects }),
    Gateways.open({ database, effects }),
    ReadLinks.open({ database, access, users, effects }),
    SigningKeys.open({ ...world, database }),
  ]);
  const gateway_codes = new GatewayCodes({ database, access, effects });
  return { access, users, sign_in, gateways, gateway_codes, read_links, signing };
}

/** How alarms are read, followed and taken in. */
async function openAlarmDoors(
  { database, catalog, users, alarms, evaluator }: {
    readonly database: Database;
    readonly catalog: Catalog;
    readonly users: Users;
    readonly alarms: Alarms;
    readonly evaluator: Evaluator;
  },
) {
  const live = (occurrence_no: number) => evaluator.live(occurrence_no);
  const feed = await AlarmFeed.open({ database, alarms, users });
  return {
    alarm_reads: new AlarmReads({ database, catalog, users, live, alarms }),
    alarm_feed: feed,
    alarm_pages: new FeedPages({ feed, users }),
    alarm_ingest: new AlarmIngest({ database, catalog, users, alarms }),
  };
}

/** What looks after the stored samples, and after all that is stored. */
async function keepersOf(
  world: World,
  { ingest, groups, space, ...parts }: {
    readonly database: Database;
    readonly catalog: Catalog;
    readonly users: Users;
    readonly alarms: Alarms;
    readonly work: Work;
    readonly photos: Photos;
    readonly roll: Rollup;
    readonly tiers: Tiers;
    readonly ingest: Ingest;
    readonly groups: RowGroups;
    readonly space: ConstructorParameters<typeof Retention>[0]["space"];
  },
) {
  const { database, roll, tiers } = parts;
  const { keep_free_percent } = world.settings;
  const files = { path: importsPath(world.settings), space, keep_free_percent };
  const waiting = () => ingest.queued_rows + roll.state.backlog;
  const [upstream, destinations] = await Promise.all([
    Upstream.open({ ...world, ...parts, ingest }),
    Destinations.open({ ...world, ...parts, ingest }),
  ]);
  const backups = new Backups({ ...world, database });
  await backups.keepCertificates();
  return {
    retention: new Retention({
      ...{ ...world, ...parts, space },
      upstream: waitingFor([upstream, destinations]),
    }),
    destinations,
    tiers,
    order: new DayOrder({
      ...{ database, effects: world.effects, waiting, space },
      holdRoll: () => roll.hold(),
      enlarge: () => groups.rest(),
    }),
    upstream,
    backups,
    imports: await Imports.open({ ...world, ...parts, ingest }, files),
  };
}

/** Whatever keeps instants of the wall clock in memory, or sleeps until one. */
type Followers =
  & {
    readonly [part in "roll" | "availability" | "shelving" | "signing"]: { readonly loop: Loop };
  }
  & {
    readonly ingest: Ingest;
    readonly deliveries: Deliveries;
    readonly minute_evaluator: MinuteEvaluator;
    /** Lets rules and alarms follow. */
    readonly followClock: (set_us: number) => Promise<void>;
  };

function watchClock({ effects, log }: World, followers: Followers): ClockWatch {
  const { roll, availability, shelving, signing, ingest, deliveries } = followers;
  const { minute_evaluator, followClock } = followers;
  const follow = async (set_us: number) => {
    ingest.latest.followClock();
    deliveries.followClock();
    for (const { loop } of [roll, availability, shelving, signing]) loop.wake();
    await minute_evaluator.followClock(() => followClock(set_us));
  };
  return new ClockWatch({ effects, log, follow });
}

/** The plant, with each fallback of a site whose source is gone logged. */
async function loadCatalog(database: Database, log: Log): Promise<Catalog> {
  const catalog = await Catalog.load(database);
  for (const fallback of idleFallbacks(catalog, catalog.sensors)) {
    log.warning("{idle}", { idle: idleText(catalog, fallback) });
  }
  return catalog;
}

/** Logs, each tenth of the way, how much of the past is still to be rolled up again. */
function tellHistory(log: Log): (days: number) => void {
  let most = 0;
  let told = 0;
  return (days) => {
    most = days === 0 ? 0 : Math.max(most, days);
    if (days === 0 && told > 0) log.info("the results of the past are computed again: done");
    if (most > rollup_limits.stale_days && (told === 0 || days <= told - most / 10)) {
      log.info("computing the results of the past again: {days} days of tags are left", { days });
      told = days;
    }
    if (days === 0) told = 0;
  };
}

/** Closes the parts, whose loops have ended; the database stays open. */
export async function closeParts(
  { access, sign_in, roll, availability, minute_evaluator, backups, imports, ...parts }: Parts,
): Promise<void> {
  await parts.sources.close();
  await parts.destinations.close();
  await parts.setpoints.close();
  await imports.close();
  await backups.close();
  await access.flush();
  await sign_in.sessions.flush();
  await roll.close();
  await availability.close();
  await minute_evaluator.close();
}

/** Every write of work puts its events into the outbox. */
function workWebhooks(outbox: Outbox, catalog: Catalog): WorkMark {
  return async ({ events }, write) => {
    const queued = await outbox.add(
      write,
      events.map(({ project_no, ...event }) => (
        { ...event, project: catalog.projectByNo(project_no)! }
      )),
    );
    return () => outbox.committed(queued);
  };
}
