// A service: its parts over one database, tied to each other, and how its faces see it.
import type { Effects } from "../../base/effects.ts";
import type { Settings } from "../../model/setting.ts";
import type { Database } from "../../store/database.ts";
import type { LossPolicy } from "../../store/loss_check.ts";
import { Access } from "../access/access.ts";
import { SignIn } from "../access/sign_in.ts";
import { Users } from "../access/user.ts";
import { AlarmFeed } from "../alarms/feed.ts";
import { AlarmIngest } from "../alarms/ingest.ts";
import { mapAlarms } from "../alarms/place.ts";
import { AlarmReads } from "../alarms/view.ts";
import { Shelving } from "../alarms/action.ts";
import { Availability } from "../availability/availability.ts";
import { workDays } from "../availability/mark.ts";
import { Catalog } from "../catalog/catalog.ts";
import { rollup_limits } from "../../model/rollup/limits.ts";
import type { Log } from "../core/log.ts";
import { diskSpace } from "../core/machine.ts";
import type { Loop } from "../core/loop.ts";
import { Ingest } from "../ingest/ingest.ts";
import { Retention } from "../retention/retention.ts";
import { Tiers } from "../retention/tiers.ts";
import { Rollup } from "../rollup/rollup.ts";
import { followRules } from "../rules/follow.ts";
import { MinuteEvaluator } from "../rules/minute_evaluator.ts";
import { openRuleEngine } from "../rules/open.ts";
import { Fill } from "./fill.ts";
import { idleFallbacks, idleText } from "../site/fallback.ts";
import { openWebhooks } from "../webhooks/open.ts";
import { Deliveries, retentionLoop } from "../webhooks/dispatcher.ts";
import { reportLoop } from "../webhooks/report.ts";
import type { Outbox } from "../webhooks/outbox.ts";
import { Heads } from "../samples/head.ts";
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
    | "signing_key_days"
    | "public_url"
    | "trusted_proxies"
    | "oidc_issuer"
    | "oidc_client_id"
    | "oidc_client_secret"
    | "oidc_name"
  >;
  /** The program's version. */
  readonly version: string;
  /** What looks after the database in the background, if anything does. */
  readonly maintenance?: Loop;
};

/** Everything that works on one open database. */
export type Parts = Awaited<ReturnType<typeof openParts>>;

/** An open service: it answers requests until it is closed. */
export type Service = {
  readonly parts: Parts;
  readonly fetch: (request: Request, info?: Deno.ServeHandlerInfo) => Promise<Response>;
  /** Resolves when the database has invalidated itself: only a new process can go on. */
  readonly invalid: Promise<void>;
  /** Answers `/readyz` and every new request with 503 from now on. */
  readonly refuse: () => void;
  /** Stops the loops, writes the log into the database file and gives the directory back. */
  readonly close: () => Promise<void>;
};

/** Opens the service of `settings.data_dir`. */
export type OpenService = (
  settings: Settings,
  effects: Effects,
  options: { readonly on_loss: LossPolicy },
) => Promise<Service>;

/** Opens the parts; nothing runs by itself until the `loops` do. */
export async function openParts(database: Database, world: World) {
  const { effects, settings, log, version, maintenance } = world;
  const catalog = await Catalog.load(database);
  tellIdle(catalog, log);
  const access = await Access.open({ database, effects });
  const users = await Users.open({ database, catalog, effects });
  const sign_in = await SignIn.open({ database, access, users, effects });
  const days = settings.signing_key_days;
  const signing = await SigningKeys.open({ database, effects, days });
  const roll = await Rollup.open({ database, catalog, effects });
  const availability = await Availability.open({ database, catalog, roll, effects });
  const onOutage = () => availability.wake();
  const rule_engine = await openRuleEngine({ database, catalog, effects, onOutage });
  const { rules, alarms, evaluator } = rule_engine;
  const work = await Work.open({ database, catalog, users, effects });
  work.mark(workDays({ catalog, effects, onWork: onOutage }));
  const webhooks = await openWebhooks({ database, catalog, alarms, evaluator, effects, settings });
  work.mark(workWebhooks(webhooks.outbox, catalog));
  const deliveries = await Deliveries.open({
    ...{ database, ...webhooks, signing, effects, settings, version },
  });
  await mapAlarms({ database, catalog, alarms });
  const minute_parts = { database, catalog, roll, ...rule_engine, effects };
  const minute_evaluator = await MinuteEvaluator.open(minute_parts);
  roll.onStale = tellHistory(log);
  roll.onStored = (span) => minute_evaluator.wake(span);
  rules.onChange = () => minute_evaluator.wake();
  const live = (occurrence_no: number) => evaluator.live(occurrence_no);
  const shelving = await Shelving.open({ database, alarms, effects });
  const tiers = await Tiers.open({ ...world, database, roll });
  const ingest = await Ingest.open({ database, catalog, ...rule_engine, effects, tiers });
  ingest.onStored = (stored) => roll.stored(stored);
  const space = () => diskSpace(settings.data_dir).catch(() => undefined);
  const retention = new Retention({ ...world, database, catalog, roll, tiers, space });
  const loops = [
    ...(maintenance ? [maintenance] : []),
    ...[roll, availability, evaluator, minute_evaluator, shelving, signing, retention, tiers]
      .map(({ loop }) => loop),
    ...[deliveries.sending, deliveries.settling, retentionLoop({ database, settings, effects })],
    reportLoop({ database, catalog, roll, effects, settings, outbox: webhooks.outbox }),
  ];
  return {
    ...{ effects, settings, log, version },
    ...rule_engine,
    ...webhooks,
    ...{ database, catalog, access, users, sign_in, signing, roll, availability, minute_evaluator },
    ...{ shelving, ingest, work, deliveries, loops, heads: new Heads(ingest.latest) },
    ...{ retention, tiers, space },
    fill: new Fill(),
    photos: await Photos.open({ database, effects, path: `${settings.data_dir}/photos` }),
    work_tail: new WorkTail({ work, since_us: database.committed_us }),
    /** What goes with a change of rules or of the plant. */
    follow: followRules({ database, catalog, ...rule_engine }),
    alarm_reads: new AlarmReads({ database, catalog, users, live, alarms }),
    alarm_feed: await AlarmFeed.open({ database, alarms }),
    alarm_ingest: new AlarmIngest({ database, catalog, users, alarms }),
  };
}

/** Logs each fallback of a site whose source is gone. */
function tellIdle(catalog: Catalog, log: Log): void {
  for (const fallback of idleFallbacks(catalog, catalog.sensors)) {
    log.warning("{idle}", { idle: idleText(catalog, fallback) });
  }
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
  { access, sign_in, roll, availability, minute_evaluator }: Parts,
): Promise<void> {
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
