// Keeps the states and losses of inverters up to date as their quarter-hours are rolled up.
import { limits } from "../../base/limits.ts";
import { type Effects, giveWay } from "../../base/effects.ts";
import { availability_limits } from "../../model/availability/limits.ts";
import { Lock } from "../../base/lock.ts";
import {
  eachQuarter,
  isDim,
  quarter_us,
  type Scene,
  sceneOf,
} from "../../model/availability/fact.ts";
import { minute_us } from "../../model/time/series.ts";
import { dayAt, dayStart } from "../../model/time/zone.ts";
import { sumSpans } from "../../model/availability/availability.ts";
import type { Gap } from "../../model/availability/gap.ts";
import { Inference } from "../../model/availability/infer.ts";
import { LossJudge } from "../../model/availability/loss_energy.ts";
import { sunlightOf } from "../../model/time/daylight.ts";
import {
  type DayRange,
  type InverterDayRow,
  knownDays,
  listLastDays,
  listStaleDays,
  openAvailabilitySession,
  type StaleDay,
  storeWorked,
} from "../../store/availability/availability.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import { findHeard } from "../../store/availability/fact.ts";
import { firstOpenDay } from "./closed.ts";
import { type SitePlant, sitePlant, type Stream } from "./plant.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { Loop } from "../core/loop.ts";
import type { RollupState } from "../rollup/backlog.ts";
import { type Evidence, loadEvidence } from "./evidence.ts";
import { loadFacts, type StreamFacts } from "./load.ts";

const day_us = 86_400_000_000;

/** What availability stands on. */
type AvailabilityOptions = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly roll: { readonly state: Pick<RollupState, "backlog" | "may_be_stale" | "marks"> };
  readonly effects: Pick<Effects, "now_us" | "sleep">;
};

/**
 * The availability of inverters. Days are marked in the transaction that changes what they hang
 * on; a pass works marked days out whole, stores what differs and takes the marks away in one
 * transaction: whatever stops it, no mark is lost. A day that goes on is computed again whenever
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
  /** Until when each site with a recent state is computed. */
  readonly #worked_to = new Map<number, number>();
  /** What was stored, and which quarter-hour was over, when nothing was left to do. */
  #seen = "";
  #hurried = false;
  /** How many marks of the roll-up were made when all that hangs on them was computed. */
  #followed = -1;

  private constructor(options: AvailabilityOptions, session: Connection) {
    const { database, catalog, roll, effects } = options;
    this.#database = database;
    this.#catalog = catalog;
    this.#roll = roll;
    this.#effects = effects;
    this.#session = session;
    this.loop = new Loop({
      name: "computing availability",
      effects,
      // What is asked right after a start comes first: one look takes as long as many answers.
      first_ms: availability_limits.pause_ms,
      retry_ms: limits.loop_retry_ms,
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

  /** Says that someone waits for what was just marked: it is computed at once, today's too. */
  wake(): void {
    this.#hurried = true;
    this.loop.wake();
  }

  /** Whether it has not followed yet what was marked of the past, and rolled up again. */
  get may_be_stale(): boolean {
    const { may_be_stale, marks } = this.#roll.state;
    return may_be_stale || marks !== this.#followed;
  }

  /** Resolves when everything that was marked before the call is computed. */
  async settle(): Promise<void> {
    await this.#lock.run(() => this.#workDue({ hurried: true }));
  }

  /** Ends after the running pass. */
  close(): Promise<void> {
    return this.#lock.run(() => Promise.resolve(this.#session.close()));
  }

  async #look(signal: AbortSignal): Promise<void> {
    const seen = `${this.#database.committed_us} ${this.#overUs()}`;
    const { backlog, may_be_stale } = this.#roll.state;
    // What is done with the past is followed to its end, today's too.
    const hurried = this.#hurried || !may_be_stale && this.may_be_stale;
    if (seen === this.#seen && !hurried) return;
    // While much is behind, days would be computed again and again.
    if (backlog > availability_limits.backlog_rows && !this.#hurried) return;
    this.#hurried = false;
    await this.#workDue({ hurried, signal });
    this.#seen = seen;
  }

  /** Computes all that is due; a site that fails holds no other one up, and is thrown at last. */
  async #workDue(
    { hurried, signal }: { readonly hurried: boolean; readonly signal?: AbortSignal },
  ): Promise<void> {
    const failures = new Map<number, unknown>();
    const { may_be_stale, marks } = this.#roll.state;
    while (!signal?.aborted) {
      const over_us = this.#overUs();
      const due = (await this.#due({ over_us, hurried })).filter((it) => !failures.has(it.site_no));
      if (due.length === 0) break;
      await this.#workSite(due, over_us).catch((error) => failures.set(due[0].site_no, error));
    }
    for (const error of failures.values()) throw error;
    if (!may_be_stale && !signal?.aborted) this.#followed = marks;
  }

  /** Works the oldest days out of those of the first site that are due. */
  async #workSite(due: readonly StaleDay[], over_us: number): Promise<void> {
    const [{ site_no, day: first }] = due;
    const plant = sitePlant(this.#catalog, site_no);
    const size = plant ? daysAtOnce(plant) : Infinity;
    const taken = due.filter((it) => it.site_no === site_no && it.day < first + size);
    const open_day = firstOpenDay(this.#catalog, site_no);
    const days = taken.map(({ day }) => day).filter((day) => day >= open_day);
    const rows = plant && days.length > 0
      ? await computeDays(this.#session, { plant, days, over_us })
      : [];
    const sensors = plant ? sensorsOf(plant) : new Int32Array();
    await storeWorked(this.#database, this.#session, { site_no, sensors, rows, taken });
    if (plant && days.length > 0) {
      const end_us = dayStart(plant.place.timezone, Math.max(...days) + 1) * minute_us;
      this.#noteWorked(plant, Math.min(over_us, end_us));
    }
  }

  /** Marked days that have begun, and the days of recent sites that went on since. */
  async #due(
    { over_us, hurried }: { readonly over_us: number; readonly hurried: boolean },
  ): Promise<readonly StaleDay[]> {
    // A clock that was ahead computed the time to come, too.
    for (const [site_no, worked_us] of this.#worked_to) {
      if (worked_us > over_us) this.#worked_to.set(site_no, over_us - quarter_us);
    }
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

  /** Remembers until when a site is computed, from when data came from it lately. */
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

/** What to compute: local days of a site, as far as they are over at `over_us`. */
type Task = {
  readonly plant: SitePlant;
  readonly days: readonly number[];
  readonly over_us: number;
};

const quarters_per_day = 96;
const inverters_at_a_time = 16;

/** How many days of a site, one after the other, one task may hold. */
function daysAtOnce(plant: SitePlant): number {
  return Math.max(1, Math.min(availability_limits.days, Math.floor(sceneDays(plant) / 3)));
}

/** The sensors that stand for a site's inverters. */
function sensorsOf({ streams }: SitePlant): Int32Array {
  return Int32Array.from(
    streams.flatMap(({ inverters }) => inverters.map(({ sensor }) => sensor.sensor_no)),
  );
}

/**
 * Works the task's days out whole, with those beside them that have states already: what was heard
 * on one day tells what a silence on the next was. A silence that reaches further is judged whole,
 * and the other days that it covers are computed for its inverter.
 */
async function computeDays(
  session: Connection,
  task: Task,
): Promise<readonly InverterDayRow[]> {
  const { plant, days, over_us } = task;
  const today = dayAt(plant.place.timezone, Math.floor((over_us - 1) / minute_us));
  const range = {
    from_day: Math.min(...days) - 1,
    to_day: Math.min(Math.max(...days) + 1, today),
  };
  const known = await knownDays(session, { ...range, sensors: sensorsOf(plant) });
  const beside = known.filter((day) => days.includes(day - 1) || days.includes(day + 1));
  const wanted = new Set([...days, ...beside]);
  const rows: InverterDayRow[] = [];
  for (const stream of plant.streams) {
    rows.push(...await workStream(session, { ...task, stream, wanted, range, today }));
  }
  return rows;
}

/** A task for the inverters of one stream, over the days that are looked at. */
type Work = Task & {
  readonly stream: Stream;
  readonly wanted: ReadonlySet<number>;
  readonly range: DayRange;
  readonly today: number;
};

/** Everything that is known of a stream's inverters over some days. */
type Known = StreamFacts & {
  readonly scene: Scene;
  readonly evidence: Evidence;
  readonly inference: Inference;
  /** The local day of each quarter-hour of daylight. */
  readonly days: ReadonlyMap<number, number>;
};

async function workStream(session: Connection, work: Work): Promise<readonly InverterDayRow[]> {
  const known = await learn(session, work);
  const range = await widerRange(session, { work, known });
  const seen = range === undefined ? known : await learn(session, { ...work, range });
  const rows: InverterDayRow[] = [];
  const losses = new LossJudge({
    scene: seen.scene,
    inverters: seen.facts,
    made_wh: seen.inference.gaps.made_wh,
    declared: seen.evidence.declared,
    limits: seen.evidence.limits,
  });
  for (const [n, { sensor }] of work.stream.inverters.entries()) {
    if (n % inverters_at_a_time === 0) await giveWay();
    const linked = linkedDays(seen, n, work.wanted);
    for (const { day, spans } of seen.inference.daysOf(n, seen.evidence.states[n])) {
      if (!work.wanted.has(day) && !linked.has(day)) continue;
      const { energy, lost } = losses.judge(n, spans);
      rows.push({ day, sensor_no: sensor.sensor_no, spans, lost, ...sumSpans(spans), ...energy });
    }
  }
  return rows;
}

async function learn(
  session: Connection,
  { plant, stream, range, over_us }: Work,
): Promise<Known> {
  const { from_day, to_day } = range;
  const all = Array.from({ length: to_day - from_day + 1 }, (_, i) => from_day + i);
  const scene = sceneOf(all.map((day) => ({ day, light: sunlightOf(plant.place, day) })), over_us);
  const stage = { range, scene };
  const { facts, poaOf } = await loadFacts(session, stream, stage);
  const evidence = await loadEvidence(session, { plant, stream }, { ...stage, facts });
  const days = new Map<number, number>();
  for (const { day, light } of scene.days) {
    for (const span of light) eachQuarter(span, (quarter) => days.set(quarter - scene.from, day));
  }
  const inference = new Inference({ scene, inverters: facts, poaOf });
  return { scene, facts, poaOf, evidence, inference, days };
}

/** The range in which silences over the wanted days began and ended, if it is wider. */
async function widerRange(
  session: Connection,
  { work, known }: { readonly work: Work; readonly known: Known },
): Promise<DayRange | undefined> {
  const { range, today, plant, stream, wanted } = work;
  const open = stream.inverters.filter((_, n) =>
    known.facts[n].has_counter && known.facts[n].capacity_w !== null &&
    known.inference.gaps.gapsOf(n).some((gap) =>
      (!gap.begun || !gap.resumed) && isOver(gap, known, wanted) && isBright(gap, n, known)
    )
  );
  if (open.length === 0) return undefined;
  const room = Math.floor((sceneDays(plant) - (range.to_day - range.from_day + 1)) / 2);
  const reach = Math.max(0, Math.min(availability_limits.gap_days, room));
  const found = await findHeard(session, {
    ...range,
    sensors: Int32Array.from(open, ({ sensor }) => sensor.sensor_no),
    least_day: range.from_day - reach,
    most_day: Math.min(range.to_day + reach, today),
  });
  return found.length === 0 ? undefined : found.reduce<DayRange>((wider, near) => ({
    from_day: Math.min(wider.from_day, near.before_day ?? Infinity),
    to_day: Math.max(wider.to_day, near.after_day ?? -Infinity),
  }), range);
}

/** The other days of silences that reach into wanted ones. */
function linkedDays(known: Known, n: number, wanted: ReadonlySet<number>): ReadonlySet<number> {
  const linked = new Set<number>();
  if (!known.facts[n].has_counter) return linked;
  for (const gap of known.inference.gaps.gapsOf(n)) {
    if (known.days.get(gap.from) === known.days.get(gap.to - 1)) continue;
    if (!isOver(gap, known, wanted) || !isBright(gap, n, known)) continue;
    for (let i = gap.from; i < gap.to; i++) {
      const day = known.days.get(i);
      if (day !== undefined) linked.add(day);
    }
  }
  return linked;
}

function isOver(gap: Gap, { days }: Known, wanted: ReadonlySet<number>): boolean {
  for (let i = gap.from; i < gap.to; i++) if (wanted.has(days.get(i)!)) return true;
  return false;
}

/** Whether some of a gap was bright enough to produce. */
function isBright({ from, to }: Gap, n: number, { scene, poaOf }: Known): boolean {
  const poa = poaOf(n);
  for (let i = from; i < to; i++) {
    if (scene.light_h[i] > 0 && !isDim(poa[i], scene.low_sun[i])) return true;
  }
  return false;
}

/** How many days of a site may be looked at at once. */
function sceneDays({ streams }: SitePlant): number {
  const sizes = streams.map(({ inverters, strings }) =>
    inverters.length + [...strings.values()].flat().length / availability_limits.strings_per_cell
  );
  return Math.floor(availability_limits.cells / (Math.max(1, ...sizes) * quarters_per_day));
}
