// One piece of roll-up: from touched quarter-hours of tags to what differs from the stored rows.
import { limits } from "../base/limits.ts";
import type { Connection } from "../store/connection.ts";
import {
  beginWork,
  type ChangeCount,
  growUnits,
  listJobs,
  makeUnits,
  planJobs,
  type TableName,
  workOut,
  type WorkRange,
} from "../store/roll_work.ts";
import { affectedUnits, putJobValues } from "./roll_amount.ts";
import { putLocalDays } from "./roll_day.ts";

/** What a piece of work found; the rows themselves lie in the session's temporary tables. */
export type Found = {
  readonly range: WorkRange;
  readonly counts: ReadonlyMap<TableName, ChangeCount>;
  /** Differences of counters that were dropped as physically impossible. */
  readonly dropped: number;
};

/**
 * Works out everything that the touched quarter-hours (`roll_touch`) mean, from the samples of
 * minutes before `over_minute`, and sets it against what is stored. Stores nothing.
 */
export async function workTouched(connection: Connection, over_minute: number): Promise<Found> {
  const kind = await beginWork(connection, { model_carry_s: limits.model_carry_s });
  const planned = kind.has_jobs ? await planJobs(connection) : [];
  const affected = await affectedUnits(connection, { jobs: planned, over_minute });
  await makeUnits(connection, Math.ceil(over_minute / 15));
  await growUnits(connection, affected);
  const jobs = kind.has_jobs ? await listJobs(connection) : [];
  const dropped = await putJobValues(connection, { jobs, over_minute });
  const range = await putLocalDays(connection);
  return { range, counts: await workOut(connection, { over_minute, range, kind }), dropped };
}

/** Whether nothing differs. */
export function isSettled(found: Found): boolean {
  return [...found.counts.values()].every((count) => count.fresh === 0 && count.other === 0);
}
