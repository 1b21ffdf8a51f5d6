// Bounds the log of shared work: old changes of a thing become one that makes it what it is.
import { upstream_limits } from "../../model/upstream/limits.ts";
import type { WorkChange } from "../../model/work/change.ts";
import { folded } from "../../model/work/merge.ts";
import type { Write } from "../../store/database.ts";
import { type ChangeKept, dropFolded, findLong, readChanges } from "../../store/work/change.ts";
import type { WorkCounts } from "../../store/work/number.ts";
import { freshChange, keepChanges } from "./share.ts";

/** Folds changes of some issues and work orders of a project; gives whether there are more. */
export async function foldLong(
  { connection, now_us }: Write,
  project_no: number,
  counts: WorkCounts,
): Promise<boolean> {
  const limit = upstream_limits.work_fold;
  const most = upstream_limits.work_keep_changes;
  const before_us = now_us - upstream_limits.work_keep_us;
  const owner_ids = await findLong(connection, { project_no, before_us, most, limit });
  const rows = await readChanges(connection, { project_no, owner_ids, all: true });
  for (const [owner_id, own] of Map.groupBy(rows, (row) => row.owner_id)) {
    const up_to_us = lastToFold(own, before_us);
    const old = own.filter(({ order_us }) => order_us <= up_to_us);
    const change = folded(old.map(({ body }): WorkChange => JSON.parse(body)));
    if (change === undefined) continue;
    const since_no = Math.max(...old.map(({ change_no }) => change_no));
    await dropFolded(connection, { project_no, owner_id, up_to_us, all: true });
    const row = { ...freshChange(change, { project_no, stored_at: now_us }), since_no };
    await keepChanges(connection, [row], counts);
  }
  return owner_ids.length === limit;
}

/** The place of the last change that is old, or that is more than are kept. */
function lastToFold(rows: readonly ChangeKept[], before_us: number): number {
  const ordered = rows.toSorted((a, b) => a.order_us - b.order_us);
  // Half of them go, so that not every new one makes it necessary again.
  const most = upstream_limits.work_keep_changes;
  const left = ordered.length > most ? Math.ceil(most / 2) : ordered.length;
  const is_old = (row: ChangeKept, i: number) =>
    row.stored_at < before_us || i < ordered.length - left;
  const last = ordered[ordered.findLastIndex(is_old)];
  const made = ordered.find(({ since_no }) => since_no !== null);
  return Math.max(last?.order_us ?? -1, last && made ? made.order_us : -1);
}
