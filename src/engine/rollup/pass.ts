// One piece of roll-up: from touched quarter-hours of tags to what differs from the stored rows.
import { limits } from "../../base/limits.ts";
import type { Connection } from "../../store/connection.ts";
import { makeDue, type Slice, takeSlice } from "../../store/rollup/due.ts";
import { listJobs, planJobs } from "../../store/rollup/job.ts";
import { clearWork, readRollPlant, type RollPlant } from "../../store/rollup/plant.ts";
import {
  type ChangeCount,
  type TableName,
  workOut,
  type WorkRange,
} from "../../store/rollup/worktables.ts";
import { planModels } from "../expected/plan.ts";
import { affectedUnits, putJobValues } from "./amount.ts";
import { putLocalDays } from "./day.ts";
import { type SliceBounds, slicesOf } from "./slice.ts";

/** What is to be worked out, slice by slice. */
export type Work = {
  /** Only minutes before it count. */
  readonly over_minute: number;
  readonly plant: RollPlant;
  /** In order of time. */
  readonly slices: readonly Slice[];
};

/** What a slice of work found; the rows themselves lie in the session's temporary tables. */
export type Found = {
  readonly range: WorkRange;
  readonly counts: ReadonlyMap<TableName, ChangeCount>;
  /** Differences of counters that were dropped as physically impossible. */
  readonly dropped: number;
};

/** Reads how the plant stands now, if it changed since it was `known`. */
export function readWorkPlant(
  connection: Connection,
  known: RollPlant | undefined,
): Promise<RollPlant> {
  return readRollPlant(connection, { model_carry_s: limits.model_carry_s, planModels, known });
}

/** Finds what the touched quarter-hours (`roll_touch`) mean, up to minutes before `over_minute`. */
export async function planWork(
  connection: Connection,
  { over_minute, plant, units }: SliceBounds & {
    readonly over_minute: number;
    readonly plant: RollPlant;
  },
): Promise<Work> {
  const jobs = plant.kind.has_jobs ? await planJobs(connection) : [];
  const more = await affectedUnits(connection, { jobs, over_minute });
  const due = await makeDue(connection, { end_quarter: Math.ceil(over_minute / 15), more });
  return { over_minute, plant, slices: slicesOf(due, { units }) };
}

/**
 * Works out everything that is due in a slice, whole, from the samples of its minutes, and sets it
 * against what is stored. Stores nothing, and can be repeated.
 */
export async function workSlice(
  connection: Connection,
  { over_minute, plant, slice }: Omit<Work, "slices"> & { readonly slice: Slice },
): Promise<Found> {
  const { kind, places } = plant;
  await clearWork(connection, kind);
  await takeSlice(connection, slice);
  const jobs = kind.has_jobs ? await listJobs(connection) : [];
  const dropped = await putJobValues(connection, { jobs, over_minute });
  const range = await putLocalDays(connection, places);
  return { range, counts: await workOut(connection, { over_minute, range, kind }), dropped };
}

/** Whether nothing differs. */
export function isSettled(found: Found): boolean {
  return [...found.counts.values()].every((count) => count.fresh === 0 && count.other === 0);
}
