// Keeps the states and losses of inverters up to date as their quarter-hours are rolled up.
import type { Effects } from "../../base/effects.ts";
import { availability_limits } from "../../model/availability/limits.ts";
import { rollup_limits } from "../../model/rollup/limits.ts";
import { Lock } from "../../base/lock.ts";
import { quarter_us } from "../../model/availability/fact.ts";
import { minute_us } from "../../model/time/series.ts";
import { dayAt, dayStart } from "../../model/time/zone.ts";
import {
  listLastDays,
  listStaleDays,
  openAvailabilitySession,
  type StaleDay,
  storeWorked,
} from "../../store/availability/availability.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import { type SitePlant, sitePlant } from "./plant.ts";
import { computeDays, daysAtOnce, sensorsOf } from "./site_day.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { Loop } from "../core/loop.ts";
import type { RollupState } from "../rollup/rollup.ts";

const day_us = 86_400_000_000;

/** What availability stands on. */
type AvailabilityOptions = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly roll: { readonly state: Pick<RollupState, "backlog"> };
  readonly effects: Pick<Effects, "now_us" | "sleep">;
};

/**
 * The availability of inverters. Days are marked in the transaction that changes what they hang
 * on; a pass works marked days out whole, stores what differs and takes the marks away in one
 * transaction: whatever stops it, no mark is lost. A day that goes on is worked out again whenever
 * a quarter-hour is over, of a site that fell silent as well.
 */
export class Availability {
  /** Works in the background; looks only when something was stored. */
  readonly loop: Loop;
  readonly #database: Database;
  readonly #catalog: Catalog;
  readonly #roll: AvailabilityOptions["roll"];
  readonly #effects: Pick<Effects, "now_us" | "sleep">;
  readonly #session: Connection;
  readonly #lock = new Lock();
  /** Until when each site with a recent state is worked out. */
  readonly #worked_to = new Map<number, number>();
  /** What was stored, and which quarter-hour was over, when nothing was left to do. */
  #seen = "";
  #hurried = false;

  private constructor(options: AvailabilityOptions, session: Connection) {
    const { database, catalog, roll, effects } = options;
    this.#database = database;
    this.#catalog = catalog;
    this.#roll = roll;
    this.#effects = effects;
    this.#session = session;
    this.loop = new Loop({
      name: "working availability out",
      effects,
      retry_ms: rollup_limits.retry_ms,
      turn: async (signal) => {
        await this.#lock.run(() => this.#look(signal));
        return availability_limits.pause_ms;
      },
    });
  }

  /** Goes on where the last process stopped. */
  static async open(options: AvailabilityOptions): Promise<Availability> {
    const session = await openAvailabilitySession(options.database);
    const availability = new Availability(options, session);
    for (const { site_no, day } of await listLastDays(session)) {
      const plant = sitePlant(options.catalog, site_no);
      if (plant) availability.#noteWorked(plant, dayStart(plant.place.timezone, day) * minute_us);
    }
    return availability;
  }

  /** Says that someone waits for what was just marked: it is worked out at once, today's too. */
  wake(): void {
    this.#hurried = true;
    this.loop.wake();
  }

  /** Resolves when everything that was marked before the call is worked out. */
  async settle(): Promise<void> {
    await this.#lock.run(() => this.#workDue({ hurried: true }));
  }

  /** Ends after the running pass. */
  close(): Promise<void> {
    return this.#lock.run(() => Promise.resolve(this.#session.close()));
  }

  async #look(signal: AbortSignal): Promise<void> {
    const seen = `${this.#database.committed_us} ${this.#overUs()}`;
    if (seen === this.#seen && !this.#hurried) return;
    // While much is behind, days would be worked out again and again.
    if (this.#roll.state.backlog > availability_limits.backlog_rows && !this.#hurried) return;
    const hurried = this.#hurried;
    this.#hurried = false;
    await this.#workDue({ hurried, signal });
    this.#seen = seen;
  }

  /** Works out all that is due; a site that fails holds no other one up, and is thrown at last. */
  async #workDue(
    { hurried, signal }: { readonly hurried: boolean; readonly signal?: AbortSignal },
  ): Promise<void> {
    const failures = new Map<number, unknown>();
    while (!signal?.aborted) {
      const over_us = this.#overUs();
      const due = (await this.#due({ over_us, hurried })).filter((it) => !failures.has(it.site_no));
      if (due.length === 0) break;
      await this.#workSite(due, over_us).catch((error) => failures.set(due[0].site_no, error));
    }
    for (const error of failures.values()) throw error;
  }

  /** Works the oldest days out of those of the first site that are due. */
  async #workSite(due: readonly StaleDay[], over_us: number): Promise<void> {
    const [{ site_no, day: first }] = due;
    const plant = sitePlant(this.#catalog, site_no);
    const size = plant ? daysAtOnce(plant) : Infinity;
    const taken = due.filter((it) => it.site_no === site_no && it.day < first + size);
    const days = taken.map(({ day }) => day);
    const rows = plant ? await computeDays(this.#session, { plant, days, over_us }) : [];
    const sensors = plant ? sensorsOf(plant) : new Int32Array();
    await storeWorked(this.#database, this.#session, { site_no, sensors, rows, taken });
    if (plant) {
      const end_us = dayStart(plant.place.timezone, Math.max(...days) + 1) * minute_us;
      this.#noteWorked(plant, Math.min(over_us, end_us));
    }
  }

  /** Marked days that have begun, and the days of recent sites that went on since. */
  async #due(
    { over_us, hurried }: { readonly over_us: number; readonly hurried: boolean },
  ): Promise<readonly StaleDay[]> {
    const marked = (await listStaleDays(this.#session)).filter(({ site_no, day }) => {
      const today = this.#today(site_no, over_us);
      if (today === undefined || day < today) return true;
      const worked_us = this.#worked_to.get(site_no) ?? -Infinity;
      return day === today && (hurried || worked_us < over_us);
    });
    const known = new Set(marked.map(({ site_no, day }) => `${site_no} ${day}`));
    const gone_on = [...this.#worked_to].flatMap(([site_no, worked_us]) => {
      const today = this.#today(site_no, over_us);
      if (today === undefined || worked_us >= over_us) return [];
      const from = this.#today(site_no, worked_us + 1)!;
      return Array.from({ length: today - from + 1 }, (_, i) => ({
        site_no,
        day: from + i,
        marks: 0,
      }));
    }).filter(({ site_no, day }) => !known.has(`${site_no} ${day}`));
    return [...marked, ...gone_on].sort((a, b) => a.site_no - b.site_no || a.day - b.day);
  }

  /** Remembers until when a site is worked out, from when data came from it lately. */
  #noteWorked({ site_no }: SitePlant, to_us: number): void {
    const known_us = this.#worked_to.get(site_no);
    const is_old = to_us < this.#effects.now_us() - availability_limits.gap_days * day_us;
    if (known_us === undefined && is_old) return;
    this.#worked_to.set(site_no, Math.max(to_us, known_us ?? 0));
  }

  /** The local day of a site that an instant ends in. */
  #today(site_no: number, until_us: number): number | undefined {
    const site = this.#catalog.site(site_no);
    if (site === undefined) return undefined;
    const { timezone } = this.#catalog.projectByNo(site.project_no)!;
    return dayAt(timezone, Math.floor((until_us - 1) / minute_us));
  }

  /** The end of the last quarter-hour that is over, its last samples rolled up. */
  #overUs(): number {
    const now_us = this.#effects.now_us() - availability_limits.delay_s * 1_000_000;
    return Math.floor(now_us / quarter_us) * quarter_us;
  }
}
