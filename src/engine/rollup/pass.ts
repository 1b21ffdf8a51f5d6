// Passes of the roll-up: from touched quarter-hours to rows that differ; or over all, to verify.
import { rollup_limits } from "../../model/rollup/limits.ts";
import { dayText } from "../../model/time/calendar.ts";
import { minute_us } from "../../model/time/series.ts";
import type { Connection } from "../../store/connection.ts";
import { changeEvents } from "../../store/counters/event.ts";
import { changeLent } from "../../store/expected/lent.ts";
import {
  type DueQuarter,
  makeDue,
  neededDays,
  putDays,
  sealTouched,
  type Slice,
  takeSlice,
} from "../../store/rollup/due.ts";
import { cutKept } from "../../store/rollup/kept.ts";
import { listJobs, planJobs } from "../../store/rollup/job.ts";
import {
  clearWork,
  readRollPlant,
  type RollPlace,
  type RollPlant,
} from "../../store/rollup/plant.ts";
import type { Changes, WorkRange } from "../../store/rollup/change.ts";
import { workOut } from "../../store/rollup/worktables.ts";
import type { Database } from "../../store/database.ts";
import { openRollSession } from "../../store/rollup/progress.ts";
import {
  type ComparedName,
  countWorked,
  listDifferences,
  listVerifyDays,
  type RowDifference,
  touchDay,
} from "../../store/rollup/verify.ts";
import { planModels } from "../expected/plan.ts";
import { affectedUnits, putJobValues } from "./job.ts";
import { localDays } from "./local_day.ts";
import type { Catalog } from "../catalog/catalog.ts";

/** What is to be computed, slice by slice. */
export type PassPlan = {
  /** Only minutes before it count. */
  readonly over_minute: number;
  readonly plant: RollPlant;
  /** In order of time. */
  readonly slices: readonly Slice[];
};

/** What a slice of work found; the rows themselves lie in the session's temporary tables. */
export type Found = Changes & {
  /** How many events of counters differ. */
  readonly events: number;
  /** How many quarter-hours differ in which minutes stand on lent weather. */
  readonly lent: number;
};

/** Reads how the plant stands now, if it changed since it was `known`. */
export function readWorkPlant(
  connection: Connection,
  known: RollPlant | undefined,
): Promise<RollPlant> {
  return readRollPlant(connection, {
    model_carry_s: rollup_limits.model_carry_s,
    planModels,
    known,
  });
}

/** Finds what the touched quarter-hours (`roll_touch`) mean, up to minutes before `over_minute`. */
export async function planPass(
  connection: Connection,
  { over_minute, plant, units }: SliceBounds & {
    readonly over_minute: number;
    readonly plant: RollPlant;
  },
): Promise<PassPlan> {
  if (plant.kind.has_seals) await sealTouched(connection);
  await cutKept(connection, over_minute);
  const jobs = plant.kind.has_jobs ? await planJobs(connection) : [];
  const more = await affectedUnits(connection, { jobs, over_minute });
  const due = await makeDue(connection, { end_quarter: Math.ceil(over_minute / 15), more });
  return { over_minute, plant, slices: slicesOf(due, { units }) };
}

type SliceWork = Omit<PassPlan, "slices"> & {
  readonly slice: Slice;
  /** Whether every row that differs is to be listed; else those are not of which none is stored. */
  readonly looks_all?: boolean;
  /** About how many rows of a table one transaction is to store, where it is to be stored. */
  readonly rows_per_write?: number;
};

/**
 * Computes everything that is due in a slice, whole, from the samples of its minutes, and sets it
 * against what is stored. Stores nothing, and can be repeated.
 */
export async function workSlice(
  connection: Connection,
  { over_minute, plant, slice, looks_all = false, rows_per_write = Infinity }: SliceWork,
): Promise<Found> {
  const { kind, places } = plant;
  await clearWork(connection, kind);
  await takeSlice(connection, { ...slice, kind });
  const jobs = kind.has_jobs ? await listJobs(connection) : [];
  await putJobValues(connection, { jobs, over_minute });
  const range = await putLocalDays(connection, { places, looks_all });
  const changes = await workOut(connection, {
    ...{ over_minute, range, kind },
    rows_per_write,
    looks_all,
  });
  const events = kind.has_counters ? await changeEvents(connection, range) : 0;
  const lent = kind.has_fallbacks ? await changeLent(connection, range) : 0;
  return { ...changes, range, events, lent };
}

/** Whether nothing differs. */
export function isUnchanged(found: Found): boolean {
  return found.events === 0 && found.lent === 0 &&
    [...found.counts.values()].every((count) => count.fresh === 0 && count.other === 0);
}

/** What was found on one day (UTC). */
type VerifiedDay = {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** This day's place among all that are verified, counted from 1, and how many these are. */
  readonly place: number;
  readonly days: number;
  /** Minutes and readings that were computed again. */
  readonly checked: number;
  /** Rows that differ, by table; a row of a local day can be found on both days that it touches. */
  readonly differences: Readonly<Record<ComparedName, number>>;
  /** One sentence each on the first of them. */
  readonly examples: readonly string[];
};

/** Verifies day by day, changing nothing. The roll-up is settled first and stands still then. */
export async function* verify(
  { database, catalog, roll }: {
    readonly database: Database;
    readonly catalog: Catalog;
    readonly roll: { holdSettled(): Promise<Disposable & { readonly over_minute: number }> };
  },
): AsyncGenerator<VerifiedDay, void> {
  using held = await roll.holdSettled();
  const session = await openRollSession(database);
  try {
    const plant = await readWorkPlant(session, undefined);
    const days = await listVerifyDays(session);
    for (const [i, day] of days.entries()) {
      await touchDay(session, { day, over_us: held.over_minute * minute_us });
      const found = await compare(session, { ...held, plant });
      yield {
        ...found,
        day: dayText(day),
        place: i + 1,
        days: days.length,
        examples: found.examples.map((row) => sentenceOf(row, catalog)),
      };
    }
  } finally {
    session.close();
  }
}

type Compared = Pick<VerifiedDay, "checked" | "differences"> & {
  readonly examples: readonly RowDifference[];
};

const no_differences: Readonly<Record<ComparedName, number>> = {
  ...{ whole: 0, minute: 0, reading: 0, quarter: 0, daily: 0 },
  ...{ counter_event: 0, lent_quarter: 0 },
};

/** Computes what is touched, slice by slice, and sets it against what is stored. */
async function compare(
  session: Connection,
  { over_minute, plant }: Omit<PassPlan, "slices">,
): Promise<Compared> {
  const { slices } = await planPass(session, { over_minute, plant, units: Infinity });
  const differences = { ...no_differences };
  const examples: RowDifference[] = [];
  let checked = 0;
  for (const slice of slices) {
    const { counts, events, lent } = await workSlice(session, {
      ...{ over_minute, plant, slice, looks_all: true },
    });
    for (const [name, { fresh, other }] of counts) differences[name] += fresh + other;
    differences.counter_event += events;
    differences.lent_quarter += lent;
    examples.push(
      ...await listDifferences(session, rollup_limits.differences_shown - examples.length),
    );
    checked += await countWorked(session);
  }
  return { checked, differences, examples };
}

const verdicts = {
  insert: "is missing",
  update: "differs from what the samples give",
  delete: "has no samples behind it",
} as const;

function sentenceOf(row: RowDifference, catalog: Catalog): string {
  const sensor = catalog.sensors.find((sensor) => sensor.sensor_no === row.sensor_no);
  const tag = catalog.tag(row.tag_no ?? sensor?.tag_no ?? -1);
  const at = new Date(row.minute * 60_000).toISOString().slice(0, row.name === "daily" ? 10 : 16);
  const measure = sensor ? ` (${sensor.component} ${sensor.measure})` : "";
  return `${row.name} ${at} of ${tag?.sensor_tag ?? "an unknown tag"}${measure} ${
    verdicts[row.op]
  }`;
}

/** How much one slice may hold at most, where it is longer than a quarter-hour. */
type SliceBounds = { readonly units: number };

/**
 * Slices of `due`, which is in order of time: none holds more than `units`, but for a single
 * quarter-hour that does. The widest gaps are not inside a slice, for what is stored in the range
 * of a slice is read whole.
 */
function slicesOf(due: readonly DueQuarter[], { units }: SliceBounds): Slice[] {
  const slices: Slice[] = [];
  const gaps = widestGaps(due);
  let from = 0;
  let held = 0;
  for (let i = 1; i <= due.length; i++) {
    held += due[i - 1].units;
    if (i < due.length && held + due[i].units <= units && !gaps.has(i)) continue;
    slices.push({ from: due[from].quarter, to: due[i - 1].quarter + 1 });
    from = i;
    held = 0;
  }
  return slices;
}

/** The places in `due` before which the widest gaps lie. */
function widestGaps(due: readonly DueQuarter[]): ReadonlySet<number> {
  const gapAt = (i: number) => due[i].quarter - due[i - 1].quarter;
  const places = Array.from({ length: Math.max(due.length - 1, 0) }, (_, i) => i + 1)
    .filter((i) => gapAt(i) >= rollup_limits.gap_quarters)
    .sort((a, b) => gapAt(b) - gapAt(a));
  return new Set(places.slice(0, rollup_limits.gaps));
}

/**
 * Puts the local day of every quarter-hour that is computed. Gives what holds them all, days with
 * room for a project whose zone changed.
 */
async function putLocalDays(
  connection: Connection,
  { places, looks_all }: {
    readonly places: readonly RollPlace[];
    readonly looks_all: boolean;
  },
): Promise<WorkRange> {
  const { days, from_minute, to_minute, from_day, to_day } = localDays(
    await neededDays(connection),
    places,
  );
  await putDays(connection, days, { from_minute, to_minute, looks_all });
  return { from_minute, to_minute, from_day: from_day - 2, to_day: to_day + 2 };
}
