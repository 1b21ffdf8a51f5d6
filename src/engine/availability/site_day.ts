// Computes local days of a site's inverters: their states, and what they lost.
import { giveWay } from "../../base/effects.ts";
import { availability_limits } from "../../model/availability/limits.ts";
import { sumSpans } from "../../model/availability/availability.ts";
import { eachQuarter, isDim, type Scene, sceneOf } from "../../model/availability/fact.ts";
import type { Gap } from "../../model/availability/gap.ts";
import { Inference } from "../../model/availability/infer.ts";
import { energyOf } from "../../model/availability/loss_energy.ts";
import { sunlightOf } from "../../model/time/daylight.ts";
import { minute_us } from "../../model/time/series.ts";
import { dayAt } from "../../model/time/zone.ts";
import {
  type DayRange,
  type InverterDayRow,
  knownDays,
} from "../../store/availability/availability.ts";
import { findHeard } from "../../store/availability/fact.ts";
import type { Connection } from "../../store/connection.ts";
import { type Evidence, loadEvidence } from "./evidence.ts";
import { loadFacts, type StreamFacts } from "./load.ts";
import type { SitePlant, Stream } from "./plant.ts";

/** What to work out: local days of a site, as far as they are over at `over_us`. */
type Task = {
  readonly plant: SitePlant;
  readonly days: readonly number[];
  readonly over_us: number;
};

const quarters_per_day = 96;
const inverters_at_a_time = 16;

/** How many days of a site, one after the other, one task may hold. */
export function daysAtOnce(plant: SitePlant): number {
  return Math.max(1, Math.min(availability_limits.days, Math.floor(sceneDays(plant) / 3)));
}

/** The sensors that stand for a site's inverters. */
export function sensorsOf({ streams }: SitePlant): Int32Array {
  return Int32Array.from(
    streams.flatMap(({ inverters }) => inverters.map(({ sensor }) => sensor.sensor_no)),
  );
}

/**
 * Works the task's days out whole, with those beside them that have states already: what was heard
 * on one day tells what a silence on the next was. A silence that reaches further is judged whole,
 * and the other days that it covers are worked out for its inverter.
 */
export async function computeDays(
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
  for (const [n, { sensor }] of work.stream.inverters.entries()) {
    if (n % inverters_at_a_time === 0) await giveWay();
    const linked = linkedDays(seen, n, work.wanted);
    for (const { day, spans } of seen.inference.daysOf(n, seen.evidence[n])) {
      if (!work.wanted.has(day) && !linked.has(day)) continue;
      const energy = energyOf(seen.facts[n], { scene: seen.scene, spans });
      rows.push({ day, sensor_no: sensor.sensor_no, spans, ...sumSpans(spans), ...energy });
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
  const inverters = Math.max(1, ...streams.map(({ inverters }) => inverters.length));
  return Math.floor(availability_limits.cells / (inverters * quarters_per_day));
}
