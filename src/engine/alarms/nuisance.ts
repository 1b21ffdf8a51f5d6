// Marks what disturbs an operator: alarms that chatter, floods, and those that others inhibit.
import type { Effects } from "../../base/effects.ts";
import { alarm_limits } from "../../model/alarms/limits.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import type { EventDraft, Occurrence } from "../../model/alarms/alarm.ts";
import { inhibit, uninhibit } from "../../model/alarms/life.ts";
import { type Raise, RecentRaises, repeatKey } from "../../model/alarms/raises.ts";
import { readNuisance } from "../../store/alarms/alarm.ts";
import type { Database } from "../../store/database.ts";
import type { Catalog } from "../catalog/catalog.ts";
import {
  inhibiting_classes,
  isInhibitable,
  isInhibitor,
  isReached,
  type Reach,
  reachOf,
} from "./reach.ts";
import type { AlarmChange, AlarmUnitOfWork } from "./unit_of_work.ts";

type Parts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly effects: Pick<Effects, "now_us">;
};

type Stored = Awaited<ReturnType<typeof readNuisance>>;

function readStored({ database, effects }: Parts): Promise<Stored> {
  const known = { now_us: effects.now_us(), classes: inhibiting_classes };
  return database.read((connection) => readNuisance(connection, known));
}

/**
 * Looks at every write of alarms before it is stored. What it remembers follows from what is
 * stored, and changes only after a commit: a restart or a failed write makes no difference.
 */
export class Nuisance {
  readonly #parts: Parts;
  readonly #sites = new Map<number, RecentRaises>();
  readonly #inhibition: Inhibition;

  private constructor(parts: Parts, inhibition: Inhibition) {
    this.#parts = parts;
    this.#inhibition = inhibition;
  }

  /** Remembers what is stored. */
  static async open(parts: Parts): Promise<Nuisance> {
    const { raises, ...standing } = await readStored(parts);
    const nuisance = new Nuisance(parts, new Inhibition(parts.catalog, standing));
    nuisance.#remember(raises);
    return nuisance;
  }

  /** Says that the wall clock was set: what came up by one that was ahead hides nothing newer. */
  async followClock(): Promise<void> {
    const latest_us = this.#parts.effects.now_us() + sample_limits.future_us;
    const { raises } = await readStored(this.#parts);
    for (const site of this.#sites.values()) site.cut(latest_us);
    this.#remember(raises);
  }

  #remember(raises: Stored["raises"]): void {
    for (const [site_no, own] of Map.groupBy(raises, (raise) => raise.site_no)) {
      this.#siteOf(site_no).add(own.map((raise) => ({ ...raise, key: repeatKey(raise) })));
    }
  }

  /**
   * Marks what a write is to store: inhibited alarms, then floods and chattering ones. Gives what
   * is to be done after its commit.
   */
  async mark(changes: AlarmUnitOfWork): Promise<() => void> {
    const recentOf = (site_no: number, from_us: number) =>
      this.#sites.get(site_no)?.since(from_us) ?? [];
    const settle = await this.#inhibition.mark(changes, recentOf);
    const kept_out = new Set(
      [...changes.all].filter(isKeptOut).map(({ occurrence }) => occurrence.occurrence_no),
    );
    const fresh = this.#markRaises(changes, kept_out);
    return () => {
      settle();
      for (const [site_no, raises] of fresh) this.#siteOf(site_no).add(raises.all);
      if (kept_out.size > 0) { for (const site of this.#sites.values()) site.discount(kept_out); }
    };
  }

  /** Marks raises in order of time, each by those before it; gives them by site. */
  #markRaises(
    changes: AlarmUnitOfWork,
    kept_out: ReadonlySet<number>,
  ): ReadonlyMap<number, RecentRaises> {
    const fresh = new Map<number, RecentRaises>();
    const latest_us = changes.write.now_us + sample_limits.future_us;
    const came = [...changes.all].flatMap((change) => cameUp(change, kept_out))
      .filter(({ raise }) => raise.at_us <= latest_us)
      .sort((a, b) => a.raise.at_us - b.raise.at_us);
    for (const { raise, site_no, event_type } of came) {
      const known = this.#siteOf(site_no);
      const own = fresh.get(site_no) ?? new RecentRaises();
      fresh.set(site_no, own);
      const { at_us, key } = raise;
      if (known.isPast(at_us) || own.isPast(at_us) || known.has(raise)) continue;
      own.add([raise]);
      const repeats = known.repeats(key, at_us) + own.repeats(key, at_us);
      const news = known.news(at_us, kept_out) + own.news(at_us, kept_out);
      annotate(changes, raise.occurrence_no, {
        event_type,
        is_chattering: repeats >= alarm_limits.chattering_raises,
        is_flood: raise.counts && news >= alarm_limits.flood_alarms,
      });
    }
    return fresh;
  }

  #siteOf(site_no: number): RecentRaises {
    const known = this.#sites.get(site_no);
    if (known) return known;
    const site = new RecentRaises();
    this.#sites.set(site_no, site);
    return site;
  }
}

type Came = { readonly raise: Raise; readonly site_no: number; readonly event_type: string };

/** The raise of a change that makes an occurrence, and every time that it came up again. */
function cameUp(
  { before, occurrence, events }: AlarmChange,
  kept_out: ReadonlySet<number>,
): readonly Came[] {
  const { site_no, occurrence_no, raised_at, is_late } = occurrence;
  // Its gateway has marked it.
  if (occurrence.gateway !== null) return [];
  const key = repeatKey(occurrence);
  const again = events.filter(({ type }) => type === "reraised").map(({ created_at }) => ({
    raise: { at_us: created_at, occurrence_no, key, counts: false },
    site_no,
    event_type: "reraised",
  }));
  if (before !== undefined || is_late) return again;
  const counts = !kept_out.has(occurrence_no);
  const raise = { at_us: raised_at, occurrence_no, key, counts };
  return [{ raise, site_no, event_type: "raised" }, ...again];
}

/** Whether a change keeps an occurrence out of the queue that was not before. */
function isKeptOut({ before, occurrence }: AlarmChange): boolean {
  return occurrence.inhibited_by !== null && (before?.inhibited_by ?? null) === null;
}

type Marks = {
  readonly event_type: string;
  readonly is_chattering: boolean;
  readonly is_flood: boolean;
};

/** Puts marks on an occurrence, and in the detail of the service's own event about it. */
function annotate(changes: AlarmUnitOfWork, occurrence_no: number, marks: Marks): void {
  const { event_type, is_chattering, is_flood } = marks;
  if (!is_chattering && !is_flood) return;
  const change = changes.changeOf(occurrence_no)!;
  const { occurrence, events } = change;
  const next: Occurrence = {
    ...occurrence,
    is_chattering: occurrence.is_chattering || is_chattering,
    is_flood: occurrence.is_flood || is_flood,
  };
  const said = {
    ...(is_chattering ? { chattering: true } : {}),
    ...(is_flood ? { flood: true } : {}),
  };
  const told = (event: EventDraft): EventDraft =>
    event.type === event_type && event.event_id === undefined
      ? { ...event, detail: { ...event.detail as object, ...said } }
      : event;
  changes.replace({ ...change, occurrence: next, events: events.map(told) });
}

/** Alarms that stand when the service starts: those that may inhibit, those that are inhibited. */
type StandingInhibition = {
  readonly inhibitors: readonly Occurrence[];
  readonly inhibited: readonly Occurrence[];
};

/** Gives the occurrences of a site that came up lately, at an instant or later. */
type RecentOf = (site_no: number, from_us: number) => readonly number[];

/**
 * The alarms in force that inhibit others, and which they do. New alarms below one are shelved by
 * the service in the write that raises them, as are those that were raised shortly before it;
 * the write in which it goes takes them off the shelf, unless another one is above them.
 */
class Inhibition {
  readonly #catalog: Catalog;
  #inhibitors: ReadonlyMap<number, Occurrence>;
  /** By inhibited occurrence: what inhibits it. */
  readonly #inhibited: Map<number, number>;

  constructor(catalog: Catalog, { inhibitors, inhibited }: StandingInhibition) {
    this.#catalog = catalog;
    this.#inhibitors = new Map(
      inhibitors.filter(isInhibitor).map((it) => [it.occurrence_no, it]),
    );
    this.#inhibited = new Map(inhibited.map((it) => [it.occurrence_no, it.inhibited_by!]));
  }

  /** Changes what a write is to store; gives what is to be remembered after its commit. */
  async mark(changes: AlarmUnitOfWork, recentOf: RecentOf): Promise<() => void> {
    const inhibitors = this.#after(changes);
    if (inhibitors.size + this.#inhibitors.size + this.#inhibited.size === 0) return () => {};
    await this.#release(changes, inhibitors);
    const fresh = [...changes.all].filter(isRaised).map(({ occurrence }) => occurrence);
    this.#keepOut(changes, { alarms: fresh, by: this.#reaching(inhibitors.values()) });
    const come = [...inhibitors.values()].filter((it) => !this.#inhibitors.has(it.occurrence_no));
    await this.#takeOut(changes, { by: this.#reaching(come), recentOf });
    const touched = [...changes.all].map(({ occurrence }) => occurrence);
    return () => {
      this.#inhibitors = inhibitors;
      for (const { occurrence_no, inhibited_by } of touched) {
        if (inhibited_by === null) this.#inhibited.delete(occurrence_no);
        else this.#inhibited.set(occurrence_no, inhibited_by);
      }
    };
  }

  /** The inhibitors as the write leaves them. */
  #after(changes: AlarmUnitOfWork): ReadonlyMap<number, Occurrence> {
    const after = new Map(this.#inhibitors);
    for (const { occurrence } of changes.all) {
      if (isInhibitor(occurrence)) after.set(occurrence.occurrence_no, occurrence);
      else after.delete(occurrence.occurrence_no);
    }
    return after;
  }

  /** Gives back what is inhibited by nothing in force; another one above it takes it over. */
  async #release(
    changes: AlarmUnitOfWork,
    inhibitors: ReadonlyMap<number, Occurrence>,
  ): Promise<void> {
    const nos = [...this.#inhibited].filter(([, by]) => !inhibitors.has(by)).map(([no]) => no);
    await changes.load({ nos });
    const freed = nos.flatMap((no) => {
      const alarm = changes.get(no);
      if (!alarm || alarm.inhibited_by === null || alarm.gateway !== null) return [];
      const gone = changes.get(alarm.inhibited_by);
      const at_us = gone?.cleared_at ?? changes.write.now_us;
      const step = uninhibit(alarm, notBefore(alarm, at_us));
      if (step) changes.change(step.occurrence, step.events);
      return step ? [step.occurrence] : [];
    });
    this.#keepOut(changes, { alarms: freed, by: this.#reaching(inhibitors.values()) });
  }

  /** Shelves those of some alarms that something in force reaches. */
  #keepOut(
    changes: AlarmUnitOfWork,
    { alarms, by }: { readonly alarms: readonly Occurrence[]; readonly by: readonly Reaching[] },
  ): void {
    if (by.length === 0) return;
    for (const alarm of alarms.filter(isInhibitable)) {
      const above = by.find(({ from, reach }) =>
        alarm.raised_at >= from.raised_at - alarm_limits.inhibit_before_us &&
        isReached(alarm, { reach, from })
      );
      if (above === undefined) continue;
      const at_us = notBefore(alarm, above.from.raised_at);
      const step = inhibit(alarm, { by: above.from, at_us });
      if (step) changes.change(step.occurrence, step.events);
    }
  }

  /** The same of those that came up shortly before, in earlier writes. */
  async #takeOut(
    changes: AlarmUnitOfWork,
    { by, recentOf }: { readonly by: readonly Reaching[]; readonly recentOf: RecentOf },
  ): Promise<void> {
    const nos = new Set(
      by.flatMap(({ from }) =>
        recentOf(from.site_no, from.raised_at - alarm_limits.inhibit_before_us)
      ),
    );
    if (nos.size === 0) return;
    await changes.load({ nos: [...nos] });
    const alarms = [...nos].map((no) => changes.get(no)).filter((it) => it !== undefined);
    this.#keepOut(changes, { alarms, by });
  }

  /** Alarms with what they reach; those that reach nothing are left out. */
  #reaching(alarms: Iterable<Occurrence>): readonly Reaching[] {
    return [...alarms].flatMap((from) => {
      const reach = reachOf(this.#catalog, from);
      return reach === undefined ? [] : [{ from, reach }];
    });
  }
}

type Reaching = { readonly from: Occurrence; readonly reach: Reach };

/** An instant, but never before the alarm's last change: the timeline is in order of time. */
function notBefore({ updated_at }: Occurrence, at_us: number): number {
  return Math.max(updated_at, at_us);
}

function isRaised({ before }: AlarmChange): boolean {
  return before === undefined;
}
