// The subscriptions in memory: checked, made, changed, paused, and found for an event.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { newId } from "../../base/id.ts";
import { webhook_limits } from "../../model/webhooks/limits.ts";
import { Lock } from "../../base/lock.ts";
import { type AllowedNetworks, parseNetworks } from "../../model/webhooks/address.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { Settings } from "../../model/setting.ts";
import {
  parseSubscription,
  parseSubscriptionChange,
  type Subscription,
  type SubscriptionSecret,
  type ToldDisabled,
  type ToldSubscription,
} from "../../model/webhooks/subscription.ts";
import { covers, type Grant } from "../../model/access/token.ts";
import { asksFor, type WebhookType } from "../../model/webhooks/webhook.ts";
import type { Database, Write } from "../../store/database.ts";
import {
  changeSubscription,
  endDeliveries,
  freeDeliveries,
  holdDeliveries,
  insertSubscription,
  readSecrets,
  readSubscriptions,
  replaceSecrets,
} from "../../store/webhooks/subscription.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { checkReach, checkTarget } from "./subscription_request.ts";

const list_hint = "`wattkeeper webhook list` shows the ids";

/** What subscriptions work with. */
export type SubscriptionParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly effects: Pick<Effects, "now_us" | "random">;
  readonly settings: Pick<Settings, "webhook_rotation_hours" | "webhook_allow">;
};

/** Who makes or changes a subscription: a token's grant; absent for the machine's operator. */
export type SubscriptionMaker = { readonly grant?: Grant };

/** A subscription and its newest secret, which is told in this answer and nowhere else. */
export type NewSecret = { readonly subscription: Subscription; readonly secret: string };

/** An event, as far as it decides which subscriptions get it. */
export type Happening = {
  readonly type: WebhookType;
  readonly project: Pick<Project, "id" | "organization_id">;
  readonly origin: string | null;
};

type Secrets = readonly SubscriptionSecret[];

/** Every subscription that is not deleted. A token never sees those beyond its reach. */
export class Subscriptions {
  readonly #parts: SubscriptionParts;
  readonly #allowed: AllowedNetworks;
  readonly #lock = new Lock();
  readonly #known = new Map<string, Subscription>();
  readonly #by_no = new Map<number, Subscription>();
  readonly #secrets = new Map<number, Secrets>();
  readonly #listeners = new Set<(subscription: Subscription) => void>();
  #by_organization: ReadonlyMap<string, readonly Subscription[]> = new Map();
  #last_no = 0;

  private constructor(parts: SubscriptionParts) {
    this.#parts = parts;
    this.#allowed = parseNetworks(parts.settings.webhook_allow);
  }

  /** Reads the subscriptions. */
  static async open(parts: SubscriptionParts): Promise<Subscriptions> {
    const subscriptions = new Subscriptions(parts);
    const stored = await parts.database.read(readSubscriptions);
    const secrets = await parts.database.read(readSecrets);
    const by_no = Map.groupBy(secrets, ({ subscription_no }) => subscription_no);
    for (const subscription of stored) {
      const { subscription_no, deleted_at } = subscription;
      subscriptions.#last_no = subscription_no;
      if (deleted_at !== null) continue;
      subscriptions.#keep(subscription, by_no.get(subscription_no));
    }
    return subscriptions;
  }

  /** The subscription of a number; undefined for one that is deleted. */
  get(subscription_no: number): Subscription | undefined {
    return this.#by_no.get(subscription_no);
  }

  /** An organization's, whatever their state, the oldest first. */
  ofOrganization(organization_id: string): readonly Subscription[] {
    return this.#by_organization.get(organization_id) ?? [];
  }

  /** Those that get an event, whatever their state: a paused one's deliveries are held. */
  matching({ type, project, origin }: Happening): readonly Subscription[] {
    return this.ofOrganization(project.organization_id).filter((it) =>
      (it.project_ids === null || it.project_ids.includes(project.id)) &&
      (it.hears_itself || it.id !== origin) && asksFor(it.event_types, type)
    );
  }

  /** The secrets that sign for a subscription now, the newest first; two during a rotation. */
  secretsOf({ subscription_no }: Subscription): Secrets {
    const now_us = this.#parts.effects.now_us();
    return (this.#secrets.get(subscription_no) ?? [])
      .filter(({ expires_at }) => expires_at === null || expires_at > now_us);
  }

  /** Tells `listener` of each subscription as it is after a change; a deleted one's, too. */
  listen(listener: (subscription: Subscription) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Every one that the maker reaches whole, the oldest first. */
  list({ grant }: SubscriptionMaker = {}): readonly Subscription[] {
    return [...this.#known.values()].filter((it) => !grant || covers(grant, it));
  }

  /** The one of an id. Throws a `Fault` (not_found) where the maker reaches none. */
  find(id: string, { grant }: SubscriptionMaker = {}): Subscription {
    const subscription = this.#known.get(id);
    if (subscription && (!grant || covers(grant, subscription))) return subscription;
    throw new Fault(
      "not_found",
      `there is no subscription ${JSON.stringify(id.slice(0, 100))}; ${list_hint}`,
    );
  }

  /**
   * Stores a new subscription from plain data, enabled. Throws a `Fault`: invalid with every flaw,
   * forbidden beyond the maker's reach, conflict where the organization has too many.
   */
  async create(data: unknown, { grant }: SubscriptionMaker = {}): Promise<NewSecret> {
    const { catalog, effects } = this.#parts;
    const { organization, projects, ...said } = parseSubscription(data);
    const reach = checkReach({ organization, projects }, { catalog, grant });
    checkTarget(said.target, this.#allowed);
    return await this.#lock.run(async () => {
      this.#requireRoom(reach.organization_id);
      const secret = newSecret(effects);
      const subscription = await this.#insert((subscription_no, stamp_us) => {
        const times = { created_at: stamp_us, updated_at: stamp_us, deleted_at: null };
        const id = newId(effects);
        const state = { state: "enabled", reason: null } as const;
        return {
          subscription: { subscription_no, id, ...reach, ...said, ...state, ...times },
          secrets: [{ subscription_no, secret, created_at: stamp_us, expires_at: null }],
        };
      });
      return { subscription, secret };
    });
  }

  /**
   * Takes over those that another service keeps, under numbers of its own. Of two states the one
   * that was changed last holds; what is not told is removed.
   */
  async adopt(told: readonly ToldSubscription[]): Promise<void> {
    await this.#lock.run(async () => {
      for (const one of told) await this.#adopt(one);
      const ids = new Set(told.map(({ subscription: { id } }) => id));
      const deleted_at = this.#parts.effects.now_us();
      for (const one of [...this.#known.values()]) {
        if (!ids.has(one.id)) await this.#store(one, { ...one, deleted_at });
      }
    });
  }

  /** Takes over that another service gave up on one, unless it was changed since. */
  async adoptDisabled({ id, reason, updated_at }: ToldDisabled): Promise<void> {
    await this.#lock.run(async () => {
      const before = this.#known.get(id);
      if (!before || before.state === "disabled" || before.updated_at >= updated_at) return;
      await this.#store(before, { ...before, state: "disabled", reason }, { updated_at });
    });
  }

  /** Makes one what plain data say. Throws a `Fault`: invalid, forbidden, not_found. */
  async change(id: string, data: unknown, maker: SubscriptionMaker = {}): Promise<Subscription> {
    const { catalog } = this.#parts;
    const { organization_id: organization } = this.find(id, maker);
    const { projects, headers, ...said } = parseSubscriptionChange(data);
    const { grant } = maker;
    const { project_ids } = checkReach({ organization, projects }, { catalog, grant });
    checkTarget(said.target, this.#allowed);
    return await this.#change(id, maker, (it) => {
      return { ...it, ...said, project_ids, headers: headers ?? it.headers };
    });
  }

  /** Gives it a new secret; the one before it signs, too, until the overlap is over. */
  async rotate(id: string, maker: SubscriptionMaker = {}): Promise<NewSecret> {
    const { database, effects, settings: { webhook_rotation_hours } } = this.#parts;
    return await this.#lock.run(async () => {
      const subscription = this.find(id, maker);
      const { subscription_no } = subscription;
      const secrets = await database.write(async ({ connection, stamp_us, now_us }) => {
        const secrets = rotated(this.secretsOf(subscription), {
          fresh: { subscription_no, secret: newSecret(effects), created_at: stamp_us },
          expires_at: now_us + webhook_rotation_hours * 3_600_000_000,
        });
        await replaceSecrets(connection, subscription_no, secrets);
        return secrets;
      });
      this.#secrets.set(subscription_no, secrets);
      this.#tell(subscription);
      return { subscription, secret: secrets[0].secret };
    });
  }

  /** Holds its deliveries until it is resumed. Throws a `Fault`: conflict for a disabled one. */
  async pause(id: string, maker: SubscriptionMaker = {}): Promise<Subscription> {
    return await this.#change(id, maker, (it) => {
      if (it.state !== "disabled") return { ...it, state: "paused" };
      throw new Fault("conflict", `the subscription is disabled: ${it.reason}`);
    });
  }

  /** Lets it go on, from its held deliveries; enabled already, it stays as it is. */
  async resume(id: string, maker: SubscriptionMaker = {}): Promise<Subscription> {
    return await this.#change(id, maker, (it) => ({ ...it, state: "enabled", reason: null }));
  }

  /** The service gives up on it for a reason, until a person resumes it. */
  async disable(id: string, reason: string): Promise<Subscription> {
    return await this.#change(id, {}, (it) => ({ ...it, state: "disabled", reason }));
  }

  /** Ends it, its secrets and its deliveries. Throws a `Fault` (not_found). */
  async remove(id: string, maker: SubscriptionMaker = {}): Promise<Subscription> {
    const deleted_at = this.#parts.effects.now_us();
    return await this.#change(id, maker, (it) => ({ ...it, deleted_at }));
  }

  #change(
    id: string,
    maker: SubscriptionMaker,
    changed: (subscription: Subscription) => Subscription,
  ): Promise<Subscription> {
    return this.#lock.run(() => {
      const before = this.find(id, maker);
      return this.#store(before, changed(before));
    });
  }

  async #store(
    before: Subscription,
    next: Subscription,
    { updated_at }: Partial<Pick<Subscription, "updated_at">> = {},
  ): Promise<Subscription> {
    if (JSON.stringify(next) === JSON.stringify(before)) return before;
    const after = await this.#parts.database.write(async (write) => {
      // Later than what it follows, which another clock may have said.
      const own = Math.max(write.stamp_us, before.updated_at + 1);
      const after = { ...next, updated_at: updated_at ?? own };
      await changeSubscription(write.connection, after);
      await moveDeliveries(write, before, after);
      return after;
    });
    if (after.deleted_at === null) this.#keep(after);
    else this.#forget(after);
    this.#tell(after);
    return after;
  }

  async #insert(
    make: (subscription_no: number, stamp_us: number) => ToldSubscription,
  ): Promise<Subscription> {
    const subscription_no = this.#last_no + 1;
    const made = await this.#parts.database.write(async ({ connection, stamp_us }) => {
      const made = make(subscription_no, stamp_us);
      await insertSubscription(connection, made.subscription);
      await replaceSecrets(connection, subscription_no, made.secrets);
      return made;
    });
    this.#last_no = subscription_no;
    this.#keep(made.subscription, made.secrets);
    this.#tell(made.subscription);
    return made.subscription;
  }

  async #adopt({ subscription, secrets: told }: ToldSubscription): Promise<void> {
    const numbered = (subscription_no: number) => ({
      subscription: { ...subscription, subscription_no },
      secrets: told.map((it) => ({ ...it, subscription_no })),
    });
    const before = this.#known.get(subscription.id);
    if (before === undefined) return void await this.#insert(numbered);
    const { subscription_no, updated_at } = before;
    const { subscription: next, secrets } = numbered(subscription_no);
    if (next.updated_at > updated_at) await this.#store(before, next, next);
    if (lives(secrets) === lives(this.#secrets.get(subscription_no) ?? [])) return;
    await this.#parts.database.write(({ connection }) =>
      replaceSecrets(connection, subscription_no, secrets)
    );
    this.#secrets.set(subscription_no, secrets);
  }

  #requireRoom(organization_id: string): void {
    const most = webhook_limits.subscriptions_per_organization;
    if (this.ofOrganization(organization_id).length < most) return;
    throw new Fault("conflict", `the organization has ${most} subscriptions: remove one first`);
  }

  #keep(subscription: Subscription, secrets?: Secrets): void {
    const { id, subscription_no } = subscription;
    this.#known.set(id, subscription);
    this.#by_no.set(subscription_no, subscription);
    if (secrets) this.#secrets.set(subscription_no, secrets);
    this.#group();
  }

  #forget({ id, subscription_no }: Subscription): void {
    this.#known.delete(id);
    this.#by_no.delete(subscription_no);
    this.#secrets.delete(subscription_no);
    this.#group();
  }

  #group(): void {
    this.#by_organization = Map.groupBy(this.#known.values(), (it) => it.organization_id);
  }

  #tell(subscription: Subscription): void {
    for (const listener of [...this.#listeners]) listener(subscription);
  }
}

/** A new secret: as Standard Webhooks writes it, 32 bytes. */
export function newSecret({ random }: Pick<Effects, "random">): string {
  return `whsec_${btoa(String.fromCharCode(...random(32)))}`;
}

/** Secrets and their ends, to be compared. */
function lives(secrets: Secrets): string {
  return secrets.map(({ secret, expires_at }) => `${secret} ${expires_at}`).join();
}

/**
 * The secrets after a rotation, the newest first: the fresh one, and the one that was the newest
 * until now, which ends with the overlap. An older one ends at once: two sign at most.
 */
function rotated(
  [newest]: readonly SubscriptionSecret[],
  { fresh, expires_at }: {
    readonly fresh: Omit<SubscriptionSecret, "expires_at">;
    /** When the overlap is over, by the wall clock. */
    readonly expires_at: number;
  },
): readonly [SubscriptionSecret, SubscriptionSecret] {
  return [{ ...fresh, expires_at: null }, { ...newest, expires_at }];
}

/** What a change of state means for the deliveries that are not settled. */
async function moveDeliveries(
  { connection, stamp_us }: Write,
  before: Subscription,
  { subscription_no, state, deleted_at }: Subscription,
): Promise<void> {
  if (deleted_at !== null) {
    await endDeliveries(connection, { subscription_no, settled_at: stamp_us });
    await replaceSecrets(connection, subscription_no, []);
  } else if (state === "enabled" && before.state !== "enabled") {
    await freeDeliveries(connection, { subscription_no, due_at: stamp_us });
  } else if (state !== "enabled" && before.state === "enabled") {
    await holdDeliveries(connection, subscription_no);
  }
}
