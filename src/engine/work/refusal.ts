// Why a change that another service made can't be taken.
import { upstream_limits } from "../../model/upstream/limits.ts";
import type { WorkChange } from "../../model/work/change.ts";
import { work_limits } from "../../model/work/limits.ts";

/** Whether a change takes up all places that there are for the changes after it. */
export function isTooFar({ order_us }: WorkChange, last_us: number): boolean {
  return order_us > work_limits.order_us && order_us - last_us > work_limits.order_gap_us;
}

/** The flaw of a change that is too large. */
export const too_large = {
  path: ["told"],
  message: `the change has more than ${upstream_limits.work_change_bytes} bytes`,
};

/** Whether nobody could be told of a change any more, for no answer has room for it. */
export function isTooLarge(change: WorkChange): boolean {
  const text = JSON.stringify(change);
  return new TextEncoder().encode(text).length > upstream_limits.work_change_bytes;
}

/** Whether the centre alone may make a change of a field. */
export function isOfCentre({ field, after }: WorkChange["fields"][number]): boolean {
  return field === "merged_into" || field === "deleted_at" ||
    field === "status" && after === "merged";
}
