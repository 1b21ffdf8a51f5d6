// Keeps alarms out of the queue while one of communication or of the grid stands above them.
import { limits } from "../../base/limits.ts";
import type { Occurrence } from "../../model/alarms/alarm.ts";
import { inhibit, uninhibit } from "../../model/alarms/life.ts";
import type { AlarmChange, AlarmChanges } from "./unit_of_work.ts";
import { isInhibitable, isInhibitor, isReached, type Reach, reachOf } from "./reach.ts";
import type { Catalog } from "../catalog/catalog.ts";

/** Alarms that stand when the service starts: those that may inhibit, those that are inhibited. */
export type StandingInhibition = {
  readonly inhibitors: readonly Occurrence[];
  readonly inhibited: readonly Occurrence[];
};

/** Gives the occurrences of a site that came up lately, at an instant or later. */
export type RecentOf = (site_no: number, from_us: number) => readonly number[];

/**
 * The alarms in force that inhibit others, and which they do. New alarms below one are shelved by
 * the service in the write that raises them, as are those that were raised shortly before it;
 * the write in which it goes takes them off the shelf, unless another one is above them.
 */
export class Inhibition {
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
  async mark(changes: AlarmChanges, recentOf: RecentOf): Promise<() => void> {
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
  #after(changes: AlarmChanges): ReadonlyMap<number, Occurrence> {
    const after = new Map(this.#inhibitors);
    for (const { occurrence } of changes.all) {
      if (isInhibitor(occurrence)) after.set(occurrence.occurrence_no, occurrence);
      else after.delete(occurrence.occurrence_no);
    }
    return after;
  }

  /** Gives back what is inhibited by nothing in force; another one above it takes it over. */
  async #release(
    changes: AlarmChanges,
    inhibitors: ReadonlyMap<number, Occurrence>,
  ): Promise<void> {
    const nos = [...this.#inhibited].filter(([, by]) => !inhibitors.has(by)).map(([no]) => no);
    await changes.load({ nos });
    const freed = nos.flatMap((no) => {
      const alarm = changes.get(no);
      if (!alarm || alarm.inhibited_by === null) return [];
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
    changes: AlarmChanges,
    { alarms, by }: { readonly alarms: readonly Occurrence[]; readonly by: readonly Reaching[] },
  ): void {
    if (by.length === 0) return;
    for (const alarm of alarms.filter(isInhibitable)) {
      const above = by.find(({ from, reach }) =>
        alarm.raised_at >= from.raised_at - limits.inhibit_before_us &&
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
    changes: AlarmChanges,
    { by, recentOf }: { readonly by: readonly Reaching[]; readonly recentOf: RecentOf },
  ): Promise<void> {
    const nos = new Set(
      by.flatMap(({ from }) => recentOf(from.site_no, from.raised_at - limits.inhibit_before_us)),
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

/** An instant, or the alarm's last change: its timeline, by time, tells things in their order. */
function notBefore({ updated_at }: Occurrence, at_us: number): number {
  return Math.max(updated_at, at_us);
}

function isRaised({ before }: AlarmChange): boolean {
  return before === undefined;
}
