// At a gateway: what moved to sites of others is here no longer.
import type { Project } from "../../model/plant/plant.ts";
import { dropFolded } from "../../store/work/change.ts";
import type { WorkUnitOfWork } from "../work/unit_of_work.ts";

/** Deletes what is gone, and its changes but for those that the centre does not have yet. */
export async function takeGone(
  changes: WorkUnitOfWork,
  ids: readonly string[],
  { project_no }: Project,
): Promise<void> {
  if (ids.length === 0) return;
  await changes.load({ project_no, issue_ids: ids, work_order_ids: ids });
  const { connection, stamp_us: deleted_at } = changes.write;
  changes.keepTaken([]);
  for (const owner_id of ids) {
    const issue = changes.issue(owner_id);
    if (issue) changes.putIssue({ ...issue, deleted_at });
    const order = changes.workOrder(owner_id);
    if (order) changes.putOrder({ ...order, deleted_at });
    await dropFolded(connection, { project_no, owner_id, up_to_us: 2 ** 53, all: false });
  }
}
