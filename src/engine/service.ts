// A running service as its faces see it: the parts to work with, and its end.
import type { Effects } from "../base/effects.ts";
import type { Settings } from "../model/setting.ts";
import type { Database } from "../store/database.ts";
import type { LossPolicy } from "../store/guard.ts";
import type { Access } from "./access.ts";
import type { Alarms } from "./alarm.ts";
import type { AlarmFeed } from "./alarm_feed.ts";
import type { AlarmIngest } from "./alarm_ingest.ts";
import type { AlarmReads } from "./alarm_read.ts";
import type { Shelves } from "./alarm_shelf.ts";
import type { Availability } from "./availability.ts";
import type { Catalog } from "./catalog.ts";
import type { Deliveries } from "./deliver.ts";
import type { Ingest } from "./ingest.ts";
import type { Log } from "./log.ts";
import type { Outbox } from "./outbox.ts";
import type { Roll } from "./roll.ts";
import type { Rules } from "./rule.ts";
import type { Follow } from "./rule_follow.ts";
import type { Subscriptions } from "./subscription.ts";
import type { SigningKeys } from "./signing.ts";
import type { Users } from "./user.ts";
import type { Watch } from "./watch.ts";
import type { WatchMinute } from "./watch_minute.ts";
import type { Work } from "./work.ts";

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
  readonly roll: Roll;
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
