// A running service as its faces see it: the parts to work with, and its end.
import type { Effects } from "../../base/effects.ts";
import type { Settings } from "../../model/setting.ts";
import type { Database } from "../../store/database.ts";
import type { LossPolicy } from "../../store/loss_check.ts";
import type { Access } from "../access/access.ts";
import type { Alarms } from "../alarms/alarm.ts";
import type { AlarmFeed } from "../alarms/feed.ts";
import type { AlarmIngest } from "../alarms/ingest.ts";
import type { AlarmReads } from "../alarms/read.ts";
import type { Shelves } from "../alarms/shelving.ts";
import type { Availability } from "../availability/availability.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Deliveries } from "../webhooks/dispatcher.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { Log } from "../core/log.ts";
import type { Outbox } from "../webhooks/outbox.ts";
import type { Rollup } from "../rollup/rollup.ts";
import type { Rules } from "../rules/rule.ts";
import type { Follow } from "../rules/follow.ts";
import type { Subscriptions } from "../webhooks/subscription.ts";
import type { SigningKeys } from "../webhooks/signing.ts";
import type { Users } from "../access/user.ts";
import type { Watch } from "../rules/evaluator.ts";
import type { WatchMinute } from "../rules/minute_evaluator.ts";
import type { Work } from "../work/work.ts";

/** Everything that works on one open database. */
export type Parts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly access: Access;
  readonly users: Users;
  readonly signing: SigningKeys;
  readonly rules: Rules;
  /** What goes with a change of rules or of the plant. */
  readonly follow: Follow;
  readonly roll: Rollup;
  readonly availability: Availability;
  readonly alarms: Alarms;
  readonly alarm_ingest: AlarmIngest;
  readonly alarm_reads: AlarmReads;
  readonly alarm_feed: AlarmFeed;
  readonly shelves: Shelves;
  readonly watch: Watch;
  readonly watch_minute: WatchMinute;
  readonly ingest: Ingest;
  readonly work: Work;
  readonly subscriptions: Subscriptions;
  readonly outbox: Outbox;
  readonly deliveries: Deliveries;
  readonly effects: Effects;
  readonly log: Log;
};

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
