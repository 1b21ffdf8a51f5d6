// Marks what disturbs an operator: alarms that chatter, floods, and what others keep out.
import type { Effects } from "../../base/effects.ts";
import { limits } from "../../base/limits.ts";
import type { EventDraft, Occurrence } from "../../model/alarms/alarm.ts";
import { type Raise, RecentRaises, repeatKey } from "../../model/alarms/raises.ts";
import { readNuisance } from "../../store/alarms/alarm.ts";
import type { Database } from "../../store/database.ts";
import type { AlarmChange, AlarmChanges } from "./unit_of_work.ts";
import { Inhibition } from "./inhibit.ts";
import { inhibiting_classes } from "./reach.ts";
import type { Catalog } from "../catalog/catalog.ts";

/**
 * Looks at every write of alarms before it is stored. What it remembers follows from what is
 * stored, and changes only after a commit: a restart or a failed write makes no difference.
 */
export class Nuisance {
  readonly #sites = new Map<number, RecentRaises>();
  readonly #inhibition: Inhibition;

  private constructor(inhibition: Inhibition) {
    this.#inhibition = inhibition;
  }

  /** Remembers what is stored. */
  static async open(
    { database, catalog, effects }: {
      readonly database: Database;
      readonly catalog: Catalog;
      readonly effects: Pick<Effects, "now_us">;
    },
  ): Promise<Nuisance> {
    const known = { now_us: effects.now_us(), classes: inhibiting_classes };
    const { raises, ...standing } = await database.read((it) => readNuisance(it, known));
    const nuisance = new Nuisance(new Inhibition(catalog, standing));
    for (const [site_no, own] of Map.groupBy(raises, (raise) => raise.site_no)) {
      nuisance.#siteOf(site_no).add(own.map((raise) => ({ ...raise, key: repeatKey(raise) })));
    }
    return nuisance;
  }

  /**
   * Marks what a write is to store: inhibited alarms, then floods and chattering ones. Gives what
   * is to be done after its commit.
   */
  async mark(changes: AlarmChanges): Promise<() => void> {
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
    changes: AlarmChanges,
    kept_out: ReadonlySet<number>,
  ): ReadonlyMap<number, RecentRaises> {
    const fresh = new Map<number, RecentRaises>();
    const latest_us = changes.write.now_us + limits.future_us;
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
        is_chattering: repeats >= limits.chattering_raises,
        is_flood: raise.counts && news >= limits.flood_alarms,
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

/** Puts marks on an occurrence, and in the detail of the service's own event that tells of it. */
function annotate(changes: AlarmChanges, occurrence_no: number, marks: Marks): void {
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
